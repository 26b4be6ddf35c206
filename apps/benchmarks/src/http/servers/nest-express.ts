import { NestFactory } from '@nestjs/core';
import { starters } from './nest.js';

export const start = starters((module) => NestFactory.create(module, { logger: false }));
