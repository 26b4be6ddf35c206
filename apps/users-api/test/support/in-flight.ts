import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';

/** Sends the headers of a create request and returns when the service is waiting for the body. */
export async function createInFlight(url: string): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/json', expect: '100-continue' };
  const create = request(`${url}/api/users`, { method: 'POST', headers });
  create.flushHeaders();
  await once(create, 'continue');
  return create;
}
