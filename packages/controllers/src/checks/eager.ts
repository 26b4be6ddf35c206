import type { Doubt } from '@fairlead/core/extend';
import { type ContainerInterface, describeToken } from '@fairlead/di';
import { listNames } from '../errors.js';

/** The containers that a warning was printed about. */
const idle = new WeakSet<ContainerInterface>();

/** Finds eager providers that nothing has built when the application starts, as the plugin would have. */
export function findIdle(container: ContainerInterface): Doubt | undefined {
  if (idle.has(container) || container.isBuilt === undefined) return undefined;
  const unbuilt = (container.eagerTokens?.() ?? []).filter((one) => !container.isBuilt?.(one));
  if (unbuilt.length === 0) return undefined;
  idle.add(container);
  const message = `Nothing builds the eager ${listNames(unbuilt.map(describeToken))} before the first request: registerController() does not. Call await container.initialize() before the application starts, use controllersPlugin(), or pass the controller to intended().`;
  return { code: 'FAIRLEAD_ORDER', message };
}
