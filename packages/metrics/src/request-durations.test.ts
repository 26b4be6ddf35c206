import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { DURATIONS, RequestDurations } from './request-durations.js';

it('counts each duration in all buckets with a bound of at least that', async () => {
  const registry = new Registry();
  const durations = new RequestDurations(registry, [0.125, 0.5, 2]);
  for (const seconds of [0.0625, 0.125, 0.25, 3]) durations.record('GET', '/', 200, seconds);
  durations.record('GET', '/', 404, 1);

  const [, , ...lines] = (await registry.getSingleMetricAsString(DURATIONS)).split('\n');
  expect(lines).toEqual([
    'http_request_duration_seconds_bucket{le="0.125",method="GET",route="/",status="200"} 2',
    'http_request_duration_seconds_bucket{le="0.5",method="GET",route="/",status="200"} 3',
    'http_request_duration_seconds_bucket{le="2",method="GET",route="/",status="200"} 3',
    'http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/",status="200"} 4',
    'http_request_duration_seconds_sum{method="GET",route="/",status="200"} 3.4375',
    'http_request_duration_seconds_count{method="GET",route="/",status="200"} 4',
    'http_request_duration_seconds_bucket{le="0.125",method="GET",route="/",status="404"} 0',
    'http_request_duration_seconds_bucket{le="0.5",method="GET",route="/",status="404"} 0',
    'http_request_duration_seconds_bucket{le="2",method="GET",route="/",status="404"} 1',
    'http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/",status="404"} 1',
    'http_request_duration_seconds_sum{method="GET",route="/",status="404"} 1',
    'http_request_duration_seconds_count{method="GET",route="/",status="404"} 1',
  ]);
});

it('writes what the histogram of prom-client would write', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const bounds = [0.125, 0.5, 2];
  const durations = new RequestDurations(ours, bounds);
  const histogram = new Histogram({
    name: DURATIONS,
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: bounds,
    registers: [theirs],
  });
  for (const [route, status, seconds] of [
    ['/', 200, 0.0625],
    ['/', 200, 0.5],
    ['/users/:id', 404, 0.25],
    ['/', 500, 9],
  ] as const) {
    durations.record('GET', route, status, seconds);
    histogram.observe({ method: 'GET', route, status }, seconds);
  }
  const sorted = async (registry: Registry) => (await registry.metrics()).split('\n').toSorted();
  expect(await sorted(ours)).toEqual(await sorted(theirs));
});
