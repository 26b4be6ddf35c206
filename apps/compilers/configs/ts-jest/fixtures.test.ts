import * as main from './src/main.js';

it('runs the fixtures', () => expect(main).toBeDefined());
