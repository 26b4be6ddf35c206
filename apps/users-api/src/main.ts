import { readArguments } from './arguments.js';
import { describeConfig, readConfig } from './config/config.js';
import { describeSettings } from './config/help.js';
import { describeFailure } from './describe-failure.js';
import { openLogger } from './logging/logger.js';
import { serveUsers } from './serve.js';
import { VERSION } from './version.js';

const USAGE = `users-api: a JSON service that creates, reads, updates and deletes users.

Usage: node dist/main.js [--help | --version]`;

try {
  await run();
} catch (error) {
  console.error(describeFailure(error));
  process.exit(1);
}

async function run(): Promise<void> {
  const command = readArguments(process.argv.slice(2));
  if (command === 'help') console.log(describeSettings(USAGE));
  else if (command === 'version') console.log(VERSION);
  else await start();
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = await openLogger(config.log);
  logger.debug({ config: describeConfig(config) }, 'configuration');
  await serveUsers(config, logger);
  if (config.includeStack) {
    logger.warn('error responses include stack traces. Set NODE_ENV=production to omit them.');
  }
}
