import { describe, expect, it } from 'vitest';
import { Simulation } from '../../test/support/simulation.js';
import { Gate } from './gate.js';
import type { Priority } from './queue.js';
import { Turns } from './turns.js';

/** What became of one request. */
interface Result {
  readonly sentAt: number;
  readonly time: number;
  readonly isServed: boolean;
}

type Handler = (simulation: Simulation, end: () => void) => void;

/** Computes for 5 milliseconds, without a pause. */
const compute: Handler = (simulation, end) => {
  simulation.spend(5);
  end();
};

/** Waits for one of some connections, then uses it for some milliseconds. */
function createPool(connections: number, milliseconds: number): Handler {
  let free = connections;
  const waiting: (() => void)[] = [];
  return (simulation, end) => {
    const use = () => {
      free -= 1;
      simulation.after(milliseconds, () => {
        free += 1;
        waiting.shift()?.();
        end();
      });
    };
    if (free > 0) use();
    else waiting.push(use);
  };
}

/** A service with one route, and its clients. */
class Service {
  readonly simulation = new Simulation();
  readonly gate: Gate;
  readonly results: Result[] = [];
  readonly #handler: Handler;

  constructor(handler: Handler, { limit, wait = 500 }: { limit?: number; wait?: number } = {}) {
    const turns = limit === undefined ? new Turns(this.simulation.defer) : undefined;
    this.gate = new Gate(limit, wait, this.simulation, turns);
    this.#handler = handler;
  }

  /** Sends requests at equal intervals. Returns what became of those that were sent. */
  send(perSecond: number, seconds: number): readonly Result[] {
    const start = this.simulation.now();
    const sentAt = (index: number) => start + (index * 1_000) / perSecond;
    // Reads what was sent in the meantime in one turn, like Node.js.
    const receiveFrom = (first: number): void => {
      let index = first;
      for (; sentAt(index) <= this.simulation.now(); index += 1) {
        if (index >= perSecond * seconds) return;
        this.#receive(sentAt(index));
      }
      this.simulation.after(sentAt(index) - this.simulation.now(), () => receiveFrom(index));
    };
    receiveFrom(0);
    this.simulation.runUntil(start + seconds * 1_000);
    return this.results.filter(({ sentAt }) => sentAt >= start);
  }

  /** Sends requests on some connections of a proxy, each after the response of the one before. */
  sendInTurn(connections: number, seconds: number): void {
    const { simulation } = this;
    const sendNext = () => {
      const now = simulation.now();
      simulation.after(1, () => this.#receive(now + 1, sendNext));
    };
    for (let count = 0; count < connections; count += 1) sendNext();
    simulation.runUntil(simulation.now() + seconds * 1_000);
  }

  #receive(sentAt: number, onFinish?: () => void): void {
    const { simulation, gate } = this;
    // Node.js parses it.
    simulation.spend(0.1);
    const finish = (isServed: boolean) => {
      this.results.push({ sentAt, time: simulation.now() - sentAt, isServed });
      onFinish?.();
    };
    const run = () => {
      const start = simulation.now();
      const running = { isOpen: () => true };
      let hasEnded = false;
      this.#handler(simulation, () => {
        hasEnded = true;
        gate.leave(running, start, '/');
        finish(true);
      });
      gate.use(start);
      if (!hasEnded) gate.enter(running);
    };
    const waiting = {
      since: simulation.now(),
      isOpen: () => true,
      run,
      reject: () => finish(false),
    };
    if (gate.isOpen()) run();
    else gate.add(waiting, 'normal');
  }
}

const served = (results: readonly Result[]) => results.filter(({ isServed }) => isServed);

/** Returns the time that a part of the served requests does not exceed. */
function quantile(results: readonly Result[], part: number): number {
  const times = served(results)
    .map(({ time }) => time)
    .sort((a, b) => a - b);
  return times[Math.floor(times.length * part)] ?? Number.NaN;
}

describe.each<[string, () => Handler, unloaded: number]>([
  ['a route that computes', () => compute, 5.1],
  ['a route with a pool of 10', () => createPool(10, 50), 50.1],
  ['a route with a pool of 40', () => createPool(40, 200), 200.1],
])('%s, 200 a second', (_name, create, unloaded) => {
  it('keeps its throughput and its times at five times the load, and recovers', () => {
    const service = new Service(create());
    const before = served(service.send(100, 5));
    expect(before).toHaveLength(service.results.length);
    const during = service.send(1_000, 8);
    expect(served(during).length / 8).toBeGreaterThan(0.85 * 200);
    expect(quantile(during, 0.99)).toBeLessThan(3 * unloaded);
    service.send(100, 1);
    const after = service.send(100, 5);
    expect(served(after)).toHaveLength(after.length);
  });
});

it.each<[string, () => Handler, perSecond: number]>([
  ['a route that computes', () => compute, 190],
  ['a pool at nine tenths', () => createPool(10, 50), 180],
  ['calls of a slow service', () => createPool(1_000, 2_000), 300],
  ['calls of a fast service', () => createPool(1_000, 20), 1_000],
])('rejects nothing in normal use: %s', (_name, create, perSecond) => {
  const service = new Service(create());
  service.send(perSecond, 10);
  expect(service.gate.rejected).toEqual({ late: 0, full: 0 });
});

it.each<[string, () => Handler]>([
  ['a route that computes', () => compute],
  ['a pool of 10', () => createPool(10, 50)],
])(
  'rejects early when its clients send the next request after each response: %s',
  (_name, create) => {
    const service = new Service(create());
    service.sendInTurn(512, 3);
    const late = service.results.filter(({ sentAt }) => sentAt > 1_000);
    expect(Math.max(...late.map(({ time }) => time))).toBeLessThan(250);
    expect(served(late).length / 2).toBeGreaterThan(0.65 * 200);
  },
);

it('rejects nothing when a hundred requests arrive at once', () => {
  const service = new Service(createPool(100, 200));
  service.send(100_000, 0.001);
  service.simulation.runUntil(5_000);
  expect(served(service.results)).toHaveLength(100);
});

describe('a gate with a limit of 1', () => {
  /** Sends requests that run until `end` is called. Returns what happens, in order. */
  function createEvents(wait = 500) {
    const simulation = new Simulation();
    const gate = new Gate(1, wait, simulation, undefined);
    const events: string[] = [];
    const open = new Set<string>();
    const send = (name: string, priority: Priority = 'normal') => {
      open.add(name);
      const running = { isOpen: () => open.has(name) };
      const run = () => {
        events.push(`run ${name}`);
        gate.enter(running);
      };
      const reject = () => events.push(`reject ${name}`);
      if (gate.isOpen()) run();
      else
        gate.add({ since: simulation.now(), isOpen: () => open.has(name), run, reject }, priority);
      return () => gate.leave(running, 0, '/');
    };
    return { simulation, gate, events, open, send };
  }

  it('runs the others in the order in which they arrived', () => {
    const { events, send } = createEvents();
    const ends = ['a', 'b', 'c'].map((name) => send(name));
    for (const end of ends) end();
    expect(events).toEqual(['run a', 'run b', 'run c']);
  });

  it('runs the newest first once the oldest has waited for long', () => {
    const { simulation, events, send } = createEvents();
    const ends = ['a', 'b', 'c'].map((name) => send(name));
    simulation.runUntil(26);
    ends[0]?.();
    expect(events).toEqual(['run a', 'run c']);
  });

  it('runs those of a higher priority first', () => {
    const { events, send } = createEvents();
    const end = send('a');
    send('low', 'low');
    send('normal');
    const endHigh = send('high', 'high');
    end();
    endHigh();
    expect(events).toEqual(['run a', 'run high', 'run normal']);
  });

  it('rejects one that has waited for too long', () => {
    const { simulation, gate, events, send } = createEvents(30);
    send('a');
    send('b');
    simulation.runUntil(29);
    expect(events).toEqual(['run a']);
    simulation.runUntil(41);
    expect(events).toEqual(['run a', 'reject b']);
    expect(gate.rejected).toEqual({ late: 1, full: 0 });
  });

  it('rejects soon after an overload, until none has waited for 100 milliseconds', () => {
    const { simulation, events, send } = createEvents(100);
    const end = send('a');
    send('b');
    simulation.runUntil(115);
    expect(events).toEqual(['run a', 'reject b']);
    send('c');
    simulation.runUntil(160);
    expect(events).toEqual(['run a', 'reject b', 'reject c']);
    simulation.runUntil(300);
    send('d');
    simulation.runUntil(390);
    end();
    expect(events).toEqual(['run a', 'reject b', 'reject c', 'run d']);
  });

  it('does not reject soon after one that has waited could run', () => {
    const { simulation, events, send } = createEvents(100);
    const end = send('a');
    send('b');
    simulation.runUntil(115);
    const endC = send('c');
    end();
    send('d');
    simulation.runUntil(200);
    endC();
    expect(events).toEqual(['run a', 'reject b', 'run c', 'run d']);
  });

  it('rejects the least important one when too many wait', () => {
    const { gate, events, send } = createEvents();
    send('a');
    send('low 1', 'low');
    send('low 2', 'low');
    for (let index = 2; index <= 1_000; index += 1) send(`${index}`);
    expect(events).toEqual(['run a', 'reject low 1']);
    expect([gate.queued, gate.rejected.full]).toEqual([1_000, 1]);
  });

  it('lets the next one run once, when a request ends twice', () => {
    const { gate, events, send } = createEvents();
    const end = send('a');
    send('b');
    send('c');
    end();
    end();
    expect(events).toEqual(['run a', 'run b']);
    expect([gate.running, gate.queued]).toEqual([1, 1]);
  });

  it('lets the next one run when a response has ended, but its function has not', () => {
    const { simulation, events, open, send } = createEvents();
    send('a');
    send('b');
    open.delete('a');
    simulation.runUntil(21);
    expect(events).toEqual(['run a', 'run b']);
  });

  it('does not run one whose client has gone, and does not count it as rejected', () => {
    const { gate, events, open, send } = createEvents();
    const end = send('a');
    send('b');
    open.delete('b');
    end();
    expect(events).toEqual(['run a', 'reject b']);
    expect(gate.rejected).toEqual({ late: 0, full: 0 });
  });
});

describe('fewer requests run', () => {
  /** Runs more requests than may, and looks at them after some milliseconds. */
  function limitAfter(milliseconds: number, act: (simulation: Simulation) => void): number {
    const service = new Service(createPool(1_000, 100_000));
    service.send(15_000, 0.001);
    act(service.simulation);
    service.simulation.runUntil(milliseconds);
    return service.gate.limit;
  }

  it('when the heap is almost full', () => {
    const full = limitAfter(30, (simulation) => (simulation.usedHeap = 0.96));
    expect([limitAfter(30, () => undefined), full]).toEqual([12, 6]);
  });

  it('when the event loop is late', () => {
    expect(limitAfter(150, (simulation) => simulation.spend(120))).toBe(9);
  });
});
