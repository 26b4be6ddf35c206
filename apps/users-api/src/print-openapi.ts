import { printDocument } from '@fairlead/openapi';
import { createOfflineApp } from './app.js';

await printDocument(await createOfflineApp());
