import { printDocument } from '@fairlead/openapi';
import { createOfflineApp } from './offline-app.js';

await printDocument(await createOfflineApp());
