import { SetupError } from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import {
  assertStorable,
  describeValue,
  findOptionProblems,
  fn,
  integer,
  type Kinds,
  reporterOf,
} from '@fairlead/options';
import type { Client } from 'pg';
import { assertTable, explainMissingTable, tableName } from './table-name.js';
import type { Transactions } from './transactions.js';

/** Options of {@link createEvents}. */
export interface EventsOptions {
  /** Creates the connection that listens, as `() => new Client(url)`. It is connected, and created again after it fails. */
  readonly connect: () => Client;
  /** Milliseconds for which events are kept for clients that reconnect. Default 3,600,000: one hour. */
  readonly retention?: number;
  /** The name of the table. Default `events`. */
  readonly table?: string;
  /** Receives errors of the connection and of reads, which are tried again. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** An event to publish. */
export interface PublishedEvent {
  /** Its type: `message` by default. */
  readonly event?: string;
  /** Text, or a value that JSON can carry. */
  readonly data: unknown;
}

/** An event of a subscription, for `eventStream()` of `@fairlead/middleware`. */
export interface SubscribedEvent {
  /** Its position in the log. */
  readonly id: string;
  readonly event?: string;
  readonly data: unknown;
}

/** Options of {@link Events.subscribe}. */
export interface SubscribeOptions {
  /** The `Last-Event-ID` of a client that reconnects. */
  readonly after?: string | undefined;
}

/** The part of the lifecycle of `serve()` and `runProcess()` that events use. */
export interface EventsLifecycle {
  onClose(callback: () => unknown): void;
}

/** Events that reach subscribers in all processes. */
export interface Events {
  /**
   * Publishes an event: within a transaction, if and only if that commits.
   *
   * @throws {TypeError} When JSON or PostgreSQL cannot carry the data, such as text with NUL, or the type is `start` or
   *   has several lines, which no client could receive.
   */
  publish(topic: string, event: PublishedEvent): Promise<void>;
  /**
   * Returns the events of a topic, in the order of the commits. The first one is of the type `start`, with `missed`:
   * whether events after {@link SubscribeOptions.after} are not kept anymore, so that the client has to load everything
   * again.
   */
  subscribe(topic: string, options?: SubscribeOptions): AsyncIterableIterator<SubscribedEvent>;
  /**
   * Begins to listen. If it rejects, nothing is open, and it may be called again.
   *
   * @param lifecycle - That of `serve()` or `runProcess()`, which then calls `stop()`.
   */
  start(lifecycle?: EventsLifecycle): Promise<void>;
  /** Ends all subscriptions, and stops listening. */
  stop(): Promise<void>;
}

/** A row of the log. Libraries return a `bigint` as text. */
interface Row {
  readonly position: string;
  readonly topic: string;
  readonly event: string | null;
  readonly data: unknown;
}

/** The class of the advisory lock of commits. Its second key is the table. */
const LOCK = 1_717_660_521;

const TABLE = 'events';
const RETENTION = 3_600_000;

/** Milliseconds between two reads without a notification, such as while the connection that listens is lost. */
const POLLING = 5_000;

/** Milliseconds between two deletions of old events. */
const CLEANING = 60_000;

/** Milliseconds before the connection that listens is created again. */
const RECONNECT = 500;

/** The largest number of rows of a read, and of events that wait for a slow subscriber. */
const BATCH = 500;

const EVENTS_OPTIONS: Kinds<EventsOptions> = {
  connect: fn,
  retention: integer(1_000, undefined, 'number of milliseconds'),
  table: tableName,
  onError: fn,
};

/**
 * Returns the statements that create the table of {@link createEvents}, for a migration. A trigger gives each event its
 * position when its transaction commits, one transaction at a time, so that a reader never skips an event that commits
 * late.
 */
export function eventsTable(table = TABLE): string {
  assertTable('eventsTable()', table);
  return `CREATE TABLE ${table} (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  position bigint UNIQUE,
  topic text NOT NULL,
  event text,
  data jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON ${table} (topic, position);
CREATE SEQUENCE ${table}_position OWNED BY ${table}.position;
CREATE FUNCTION ${table}_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(${LOCK}, TG_RELID::int);
  UPDATE ${table} SET position = nextval('${table}_position'), at = clock_timestamp() WHERE key = NEW.key;
  PERFORM pg_notify('${table}', '');
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ${table}_commit AFTER INSERT ON ${table}
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${table}_commit();
`;
}

/**
 * Creates events that processes exchange through PostgreSQL. They are kept in a table, {@link eventsTable}, for clients
 * that reconnect, and `NOTIFY` tells the other processes.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid.
 */
export function createEvents<DbClient>(db: Transactions<DbClient>, options: EventsOptions): Events {
  const call = 'createEvents()';
  const problems = findOptionProblems(call, options, EVENTS_OPTIONS);
  if (Object(options).connect === undefined) {
    problems.push(
      `${call} needs the option connect. Pass a function that creates a connection, as () => new Client(url).`,
    );
  }
  throwTogether(problems);
  return new PostgresEvents(db, options);
}

/** @throws {TypeError} For a type that no subscriber could pass on. */
function assertType(topic: string, event: unknown): void {
  if (event === undefined) return;
  const call = `Cannot publish the event ${describeValue(event)} to '${topic}'`;
  if (event === 'start')
    throw new TypeError(`${call}: the first event of each subscription has this type. Rename it.`);
  if (typeof event !== 'string' || /[\r\n]/.test(event))
    throw new TypeError(`${call}: its type is no text of one line, such as 'message'.`);
}

/** @throws {TypeError} For data that JSON cannot carry. */
function toJson(topic: string, data: unknown): string {
  const refuse = (options?: ErrorOptions) =>
    new TypeError(
      `Cannot publish ${describeValue(data)} to '${topic}': JSON cannot carry it. Pass a text or an object.`,
      options,
    );
  try {
    const text = JSON.stringify(data);
    if (text !== undefined) return text;
  } catch (cause) {
    throw refuse({ cause });
  }
  throw refuse();
}

class PostgresEvents<DbClient> implements Events {
  readonly #db: Transactions<DbClient>;
  readonly #connect: () => Client;
  readonly #retention: number;
  readonly #table: string;
  readonly #onError: (error: unknown) => void;
  readonly #subscriptions = new Set<Subscription>();
  #state: 'new' | 'started' | 'stopped' = 'new';
  /** The position of the last event that was read. */
  #position = 0n;
  #reading: Promise<void> | undefined = undefined;
  #mustReadAgain = false;
  #listener: Client | undefined = undefined;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    db: Transactions<DbClient>,
    { connect, retention = RETENTION, table = TABLE, onError }: EventsOptions,
  ) {
    this.#db = db;
    this.#connect = connect;
    this.#retention = retention;
    this.#table = table;
    this.#onError = reporterOf('onError of createEvents()', onError);
  }

  async publish(topic: string, { event, data }: PublishedEvent): Promise<void> {
    assertType(topic, event);
    const text = toJson(topic, data);
    const stored = { topic, event, data: JSON.parse(text) };
    assertStorable(`Cannot publish to '${topic}'`, stored, 'the event');
    const { adapter, client } = this.#db;
    await adapter.query(
      client,
      `INSERT INTO ${this.#table} (topic, event, data) VALUES ($1, $2, $3::jsonb)`,
      [topic, event ?? null, text],
    );
  }

  subscribe(
    topic: string,
    { after }: SubscribeOptions = {},
  ): AsyncIterableIterator<SubscribedEvent> {
    if (this.#state !== 'started') {
      throw new Error(
        `Cannot subscribe to '${topic}': events have ${this.#state === 'new' ? 'not started. Await start() when the process starts' : 'stopped'}.`,
      );
    }
    const subscription = new Subscription(topic, {
      begin: async () => {
        if (after !== undefined && (await this.#hasAll(after))) {
          return { missed: false, last: BigInt(after) };
        }
        return { missed: after !== undefined, last: await this.#lastPosition() };
      },
      read: (last) => this.#read('topic = $3 AND', last, topic),
      end: () => this.#subscriptions.delete(subscription),
    });
    this.#subscriptions.add(subscription);
    return subscription;
  }

  async start(lifecycle?: EventsLifecycle): Promise<void> {
    if (this.#state !== 'new') {
      throw new SetupError('INVALID_OPTION', 'start() of events was called twice. Call it once.');
    }
    // First, because nothing has to be closed if it fails. Subscriptions, which begin later, read the log themselves.
    this.#position = await this.#lastPosition().catch((error: unknown) => {
      throw explainMissingTable(error, this.#table, 'eventsTable()');
    });
    await this.#listen();
    this.#state = 'started';
    this.#every(POLLING, () => this.#readAll());
    this.#every(Math.min(CLEANING, this.#retention), () => this.#clean());
    const events = () => this.stop();
    lifecycle?.onClose(events);
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    for (const timer of this.#timers) clearTimeout(timer);
    for (const subscription of this.#subscriptions) await subscription.return();
    const listener = this.#listener;
    this.#listener = undefined;
    await Promise.all([listener?.end(), this.#reading]);
  }

  #every(interval: number, work: () => Promise<void>): void {
    this.#timers.add(setInterval(() => void work().catch(this.#onError), interval).unref());
  }

  async #listen(): Promise<void> {
    const client = this.#connect();
    const fail = (error: unknown): void => {
      if (this.#listener !== client) return;
      this.#listener = undefined;
      this.#onError(
        new Error('The connection that listens for events was lost.', { cause: error }),
      );
      // One that has failed may never end.
      client.end().catch(() => undefined);
      this.#listenLater();
    };
    client.on('error', fail);
    client.on('end', () => fail(new Error('It has ended.')));
    client.on('notification', () => void this.#readAll().catch(this.#onError));
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#table}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#listener = client;
  }

  #listenLater(): void {
    const timer = setTimeout(async () => {
      this.#timers.delete(timer);
      try {
        await this.#listen();
      } catch (error) {
        if (this.#state === 'started') this.#listenLater();
        this.#onError(error);
        return;
      }
      if (this.#state !== 'stopped') {
        await this.#readAll().catch(this.#onError);
        return;
      }
      // The process has stopped meanwhile. Nothing must listen again when the connection ends.
      const listener = this.#listener;
      this.#listener = undefined;
      await listener?.end().catch(this.#onError);
    }, RECONNECT);
    this.#timers.add(timer);
  }

  /** Reads what was committed since the last read. */
  #readAll(): Promise<void> {
    this.#mustReadAgain = true;
    this.#reading ??= this.#readWhileNeeded().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readWhileNeeded(): Promise<void> {
    while (this.#mustReadAgain && this.#state === 'started') {
      this.#mustReadAgain = false;
      const rows = await this.#read('', this.#position);
      for (const row of rows) {
        this.#position = BigInt(row.position);
        for (const subscription of this.#subscriptions) subscription.offer(row);
      }
      if (rows.length === BATCH) this.#mustReadAgain = true;
    }
  }

  /** Returns the position of the last event that was committed. */
  async #lastPosition(): Promise<bigint> {
    const [row] = await this.#query(
      `SELECT coalesce(max(position), 0) AS last FROM ${this.#table}`,
    );
    return BigInt(row?.last as string);
  }

  /** Whether no event after an ID was deleted. */
  async #hasAll(after: string): Promise<boolean> {
    if (!/^\d{1,18}$/.test(after)) return false;
    const [row] = await this.#query(
      `SELECT $1 = last OR $1 < last AND EXISTS (
         SELECT FROM ${this.#table} WHERE position <= $1 + 1) AS complete
       FROM (SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${this.#table}_position) AS log`,
      after,
    );
    return row?.complete === true;
  }

  async #read(condition: string, last: bigint, ...values: unknown[]): Promise<readonly Row[]> {
    const rows = await this.#query(
      `SELECT position, topic, event, data FROM ${this.#table}
       WHERE ${condition} position > $1 ORDER BY position LIMIT $2`,
      String(last),
      BATCH,
      ...values,
    );
    return rows as unknown as readonly Row[];
  }

  /** Deletes old events, except the last one: its position tells where the log ends. */
  async #clean(): Promise<void> {
    await this.#query(
      `DELETE FROM ${this.#table} WHERE position < (
         SELECT max(position) FROM ${this.#table} WHERE now() - at > $1 * interval '1 millisecond')`,
      this.#retention,
    );
  }

  #query(text: string, ...values: unknown[]) {
    const { adapter } = this.#db;
    return adapter.query(adapter.client, text, values);
  }
}

/** Where a subscription reads. */
interface Source {
  /** Returns after which position to read. */
  begin(): Promise<{ readonly missed: boolean; readonly last: bigint }>;
  read(last: bigint): Promise<readonly Row[]>;
  end(): void;
}

/**
 * The events of a topic. Those that arrive while it reads the log, or faster than they are taken, are read from the log
 * later, so that memory is bounded.
 */
class Subscription implements AsyncIterableIterator<SubscribedEvent> {
  readonly #topic: string;
  readonly #source: Source;
  #waiting: Row[] = [];
  /** The position of the last event in {@link #waiting}, or that was taken. */
  #last: bigint | undefined = undefined;
  /** Whether the log has events after {@link #last} that are not waiting. */
  #isBehind = true;
  #isReading = false;
  #hasEnded = false;
  #wake: (() => void) | undefined = undefined;

  constructor(topic: string, source: Source) {
    this.#topic = topic;
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Receives an event of any topic. */
  offer(row: Row): void {
    if (row.topic !== this.#topic) return;
    if (this.#isBehind || this.#isReading || this.#waiting.length >= BATCH) {
      this.#isBehind = true;
      return;
    }
    if (this.#last === undefined) return;
    const position = BigInt(row.position);
    if (position <= this.#last) return;
    this.#last = position;
    this.#waiting.push(row);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<SubscribedEvent>> {
    try {
      return await this.#take();
    } catch (error) {
      // Who reads an iterator that fails calls nothing else.
      await this.return();
      throw error;
    }
  }

  async #take(): Promise<IteratorResult<SubscribedEvent>> {
    if (this.#last === undefined && !this.#hasEnded) {
      const { missed, last } = await this.#source.begin();
      this.#last = last;
      if (!this.#hasEnded) {
        return { done: false, value: { id: String(last), event: 'start', data: { missed } } };
      }
    }
    while (!this.#hasEnded) {
      const row = this.#waiting.shift();
      if (row !== undefined) return { done: false, value: eventOf(row) };
      if (this.#isBehind) await this.#catchUp();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<SubscribedEvent>> {
    this.#hasEnded = true;
    this.#source.end();
    this.#wake?.();
    return { done: true, value: undefined };
  }

  async #catchUp(): Promise<void> {
    this.#isBehind = false;
    this.#isReading = true;
    try {
      const rows = await this.#source.read(this.#last ?? 0n);
      this.#waiting.push(...rows);
      const end = rows.at(-1);
      if (end !== undefined) this.#last = BigInt(end.position);
      if (rows.length === BATCH) this.#isBehind = true;
    } finally {
      this.#isReading = false;
    }
  }
}

function eventOf({ position, event, data }: Row): SubscribedEvent {
  return { id: String(position), ...(event !== null && { event }), data };
}
