import { expect, it } from 'vitest';
import * as main from './src/main.js';

it('has run', () => expect(main).toBeDefined());
