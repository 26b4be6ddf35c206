import { starters } from './raw.js';

export const start = starters({ optimizeEmptyRequests: true });
