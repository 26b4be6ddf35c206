import { describeRoutes, formatRoutes } from '@fairlead/controllers';
import { createOfflineApp } from './app.js';

const app = await createOfflineApp();
console.log(formatRoutes(describeRoutes(app)));
await app.close();
