import { assertOptions } from '@fairlead/core/extend';
import { describeValue, fn, hasMethods, type Kinds, kind, reporterOf } from '@fairlead/options';
import type { WebSocketConnection } from './web-socket-connection.js';

/** Carries broadcasts between processes. */
export interface BroadcastAdapter {
  /**
   * Sends a message to the listeners of a channel in all processes, this one included.
   *
   * @throws When the message cannot be sent.
   */
  publish(channel: string, message: string): Promise<void>;
  /**
   * Adds a listener to a channel. Resolves once it receives messages.
   *
   * @returns A function that removes the listener.
   * @throws When the channel cannot be subscribed to.
   */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
}

/** Options of {@link createRooms}. */
export interface RoomsOptions {
  /** Connects several processes. By default, rooms exist in this process only. */
  readonly adapter?: BroadcastAdapter;
  /** Called when the adapter fails to leave a room, or receives something else. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** A room with members in this process. */
interface Room {
  readonly members: Set<WebSocketConnection>;
  /** Resolves when messages arrive. */
  readonly subscription: Promise<() => Promise<void>>;
}

/** What is known about a connection that has joined a room. */
interface Member {
  /** Identifies the connection across processes. */
  readonly id: string;
  readonly rooms: Set<string>;
}

/** A message on its way to a room, as JSON. */
interface Envelope {
  readonly text?: string;
  /** A binary message. */
  readonly base64?: string;
  /** The connection that does not receive it. */
  readonly except?: string;
}

/** Groups of connections that receive the same messages. Create one with {@link createRooms}. */
export class Rooms {
  readonly #adapter: BroadcastAdapter;
  readonly #onError: (error: unknown) => void;
  readonly #rooms = new Map<string, Room>();
  readonly #members = new WeakMap<WebSocketConnection, Member>();

  /** Call {@link createRooms} instead. */
  constructor(adapter: BroadcastAdapter, onError: (error: unknown) => void) {
    this.#adapter = adapter;
    this.#onError = onError;
  }

  /**
   * Adds a connection to a room, until it closes or leaves. Does nothing when it is closing.
   *
   * @param name - Any text. The room exists as long as it has members.
   * @returns A promise that resolves when messages to the room reach the connection.
   * @throws The error of the adapter. The connection is then not in the room.
   */
  async join(name: string, socket: WebSocketConnection): Promise<void> {
    if (!socket.isOpen) return;
    const room = this.#rooms.get(name) ?? this.#open(name);
    room.members.add(socket);
    this.#memberOf(socket).rooms.add(name);
    try {
      await room.subscription;
    } catch (error) {
      room.members.delete(socket);
      if (this.#rooms.get(name) === room) this.#rooms.delete(name);
      throw error;
    }
  }

  /** Removes a connection from a room. Does nothing if it is not a member. */
  async leave(name: string, socket: WebSocketConnection): Promise<void> {
    this.#members.get(socket)?.rooms.delete(name);
    const room = this.#rooms.get(name);
    if (!room?.members.delete(socket) || room.members.size > 0) return;
    this.#rooms.delete(name);
    try {
      const unsubscribe = await room.subscription;
      await unsubscribe();
    } catch (error) {
      this.#onError(error);
    }
  }

  #open(name: string): Room {
    const members = new Set<WebSocketConnection>();
    const deliver = (message: string): void => this.#deliver(message, members);
    const room = { members, subscription: this.#adapter.subscribe(name, deliver) };
    this.#rooms.set(name, room);
    return room;
  }

  #memberOf(socket: WebSocketConnection): Member {
    const known = this.#members.get(socket);
    if (known !== undefined) return known;
    const member: Member = { id: crypto.randomUUID(), rooms: new Set() };
    this.#members.set(socket, member);
    void socket.closed.then(() => {
      for (const name of member.rooms) void this.leave(name, socket);
    });
    return member;
  }

  /**
   * Sends a message to all members of a room, in all processes. Members in one process receive messages in
   * the same order. Delivery is not guaranteed: a member whose connection breaks, or whose process is cut off
   * from the adapter, misses messages.
   *
   * @param data - A string for a text message, bytes for a binary one.
   * @param options - `except`: a member that does not receive the message, such as its sender.
   * @throws {TypeError} When `data` has another type.
   * @throws The error of the adapter.
   */
  async send(
    name: string,
    data: string | Uint8Array,
    { except }: { readonly except?: WebSocketConnection } = {},
  ): Promise<void> {
    if (typeof data !== 'string' && !(data instanceof Uint8Array)) {
      throw new TypeError(
        `Cannot send ${describeValue(data)} to a room. Pass a string or a Uint8Array.`,
      );
    }
    const id = except && this.#members.get(except)?.id;
    const envelope: Envelope = {
      ...(typeof data === 'string'
        ? { text: data }
        : { base64: toBuffer(data).toString('base64') }),
      ...(id !== undefined && { except: id }),
    };
    await this.#adapter.publish(name, JSON.stringify(envelope));
  }

  /** Returns the members of a room in this process. */
  membersOf(name: string): ReadonlySet<WebSocketConnection> {
    return new Set(this.#rooms.get(name)?.members);
  }

  #deliver(message: string, members: ReadonlySet<WebSocketConnection>): void {
    try {
      const { text, base64, except }: Envelope = JSON.parse(message);
      // Throws without a string.
      const data = text ?? Buffer.from(base64 as string, 'base64');
      for (const member of members) {
        const isSender = except !== undefined && this.#members.get(member)?.id === except;
        if (!isSender) void member.send(data);
      }
    } catch (cause) {
      const problem = 'A room received a message that is not from Rooms.send().';
      this.#onError(new Error(`${problem} Check who else publishes to its channel.`, { cause }));
    }
  }
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const ROOMS_OPTIONS: Kinds<RoomsOptions> = {
  adapter: kind(
    'an adapter, such as the result of redisAdapter()',
    hasMethods('publish', 'subscribe'),
  ),
  onError: fn,
};

/**
 * Creates rooms. Create them once, and share them among routes.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function createRooms(options: RoomsOptions = {}): Rooms {
  assertOptions('createRooms()', options, ROOMS_OPTIONS);
  const { adapter = new LocalAdapter(), onError } = options;
  return new Rooms(adapter, reporterOf('onError of createRooms()', onError));
}

/** Delivers messages within this process. */
class LocalAdapter implements BroadcastAdapter {
  readonly #listeners = new Map<string, (message: string) => void>();

  async publish(channel: string, message: string): Promise<void> {
    this.#listeners.get(channel)?.(message);
  }

  async subscribe(
    channel: string,
    listener: (message: string) => void,
  ): Promise<() => Promise<void>> {
    this.#listeners.set(channel, listener);
    return async () => {
      if (this.#listeners.get(channel) === listener) this.#listeners.delete(channel);
    };
  }
}
