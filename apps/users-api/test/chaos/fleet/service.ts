import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Agent } from 'node:http';
import { createInterface } from 'node:readline';
import { ENVIRONMENT } from '@fairlead/test-support/environment';
import { APP, builtProgram } from '../../support/built-program.js';
import { tick } from '../model/span.js';
import { Violation } from '../model/violation.js';

/** How much of what a service wrote is kept for the message of a failure, in lines. */
const LINES = 40;

/** A users-api that listens in a separate process. */
export class Service {
  readonly name: string;
  /** Connections to this service alone. */
  readonly agent = new Agent({ keepAlive: true });
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #output = new EventEmitter<{ line: [string] }>();
  readonly #lines: string[] = [];
  #url = '';
  #stoppedAt = Number.POSITIVE_INFINITY;
  #killedAt = Number.POSITIVE_INFINITY;
  #isRefusing = false;

  private constructor(name: string, env: Readonly<Record<string, string>>) {
    this.name = name;
    const child = spawn(process.execPath, [builtProgram('main')], {
      cwd: APP,
      env: { ...ENVIRONMENT, HOST: '127.0.0.1', PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => this.#output.emit('line', line));
    }
    this.#output.on('line', (line) => this.#keep(line));
    this.#child = child;
    this.#ended = once(this.#child, 'close').then(() => this.agent.destroy());
  }

  /**
   * Starts a service.
   *
   * @param name - What the histories call it.
   * @param env - Environment variables beside those that make it listen on a free port.
   * @returns The service, once it listens.
   * @throws {Violation} When it ends before; with what it wrote.
   */
  static async start(name: string, env: Readonly<Record<string, string>>): Promise<Service> {
    const service = new Service(name, env);
    await service.#listens();
    return service;
  }

  /** Resolves once the process has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  get url(): string {
    return this.#url;
  }

  /** When it was told to stop; `Infinity` until then. */
  get stoppedAt(): number {
    return this.#stoppedAt;
  }

  /** Whether it is no place to send a request to any more. */
  get isGone(): boolean {
    return this.#isRefusing || this.isKilled;
  }

  /** Whether it was killed or told to stop. */
  get isEnding(): boolean {
    return this.isKilled || this.#stoppedAt < Number.POSITIVE_INFINITY;
  }

  /** Whether it was killed, so that a request may remain unanswered. */
  get isKilled(): boolean {
    return this.#killedAt < Number.POSITIVE_INFINITY;
  }

  /** A connection was refused: it does not listen any more. */
  refused(): void {
    this.#isRefusing = true;
  }

  /** Kills the process, and waits for its end. */
  async kill(): Promise<void> {
    this.#killedAt = Math.min(this.#killedAt, tick());
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /**
   * Stops the process with SIGTERM, and waits for its end.
   *
   * @throws {Violation} When it ends with another status than 0.
   */
  async stop(): Promise<void> {
    this.#stoppedAt = tick();
    this.#child.kill('SIGTERM');
    await this.#ended;
    this.#isRefusing = true;
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== 0) this.#fail(`SIGTERM ended it with ${exitCode ?? signalCode}`);
  }

  async #listens(): Promise<void> {
    const line = await Promise.race([this.#writes(/listens on http:/), this.#ended]);
    const url = /http:\/\/[\w.:[\]]+/.exec(line ?? '')?.[0];
    if (url === undefined) this.#fail('It ended before it listened');
    this.#url = url;
  }

  /** Waits for a line of its log. */
  #writes(pattern: RegExp): Promise<string> {
    return new Promise((fulfil) => {
      const look = (line: string) => {
        if (!pattern.test(line)) return;
        this.#output.off('line', look);
        fulfil(line);
      };
      this.#output.on('line', look);
    });
  }

  #keep(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES) this.#lines.shift();
  }

  #fail(what: string): never {
    throw new Violation(`${this.name}: ${what}. It wrote:\n${this.#lines.join('\n')}`);
  }
}
