import type { IncomingMessage, ServerResponse } from 'node:http';

const JSON_TYPE = 'application/json; charset=utf-8';

export function answer(res: ServerResponse, status: number, type: string, text: string): void {
  res.writeHead(status, ['Content-Type', type, 'Content-Length', `${Buffer.byteLength(text)}`]);
  res.end(text);
}

export function answerJson(res: ServerResponse, value: unknown, status = 200): void {
  answer(res, status, JSON_TYPE, JSON.stringify(value));
}

export function refuse(res: ServerResponse, status: number): void {
  answer(res, status, 'text/plain; charset=utf-8', String(status));
}

export function readJson(
  req: IncomingMessage,
  res: ServerResponse,
  use: (value: unknown) => void,
): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    let value: unknown;
    try {
      value = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return refuse(res, 400);
    }
    use(value);
  });
}
