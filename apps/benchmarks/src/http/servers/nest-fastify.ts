import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { starters } from './nest.js';

export const start = starters((module) =>
  NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), { logger: false }),
);
