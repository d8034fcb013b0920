import type { ExecutionContext } from 'ava';
import type { ExchangeHandler, HandlerErrorListener, Listener, OpenListener } from '../../../http/listener/listener.ts';
import { openNodeListener } from '../../../http/listener/node-listener.ts';
import { findUwsBinary, THIS_RUNTIME } from '../../../http/listener/uws-binding.ts';
import { openUwsListener } from '../../../http/listener/uws-listener.ts';

export interface Adapter {
  readonly name: Listener['adapter'];
  readonly open: OpenListener;
}

const native: Adapter = { name: 'uWebSockets.js', open: openUwsListener };
const fallback: Adapter = { name: 'node:http', open: openNodeListener };

/** Both adapters, or the one that can run here. */
export const adapters: readonly Adapter[] = findUwsBinary(THIS_RUNTIME) === undefined ? [fallback] : [native, fallback];

/** A listener on a free port that closes with its test. Errors of handlers fail the test unless they are expected. */
export async function listen(
  t: ExecutionContext,
  adapter: Adapter,
  handler: ExchangeHandler,
  onHandlerError: HandlerErrorListener = (error) => t.fail(String(error)),
): Promise<Listener> {
  const listener = await adapter.open({ host: '127.0.0.1', port: 0 }, handler, onHandlerError);
  t.teardown(() => listener.close(0));
  return listener;
}

/** The head of a request to 127.0.0.1, its blank line included. */
export function head(request: string, ...fields: string[]): string {
  return [`${request} HTTP/1.1`, 'Host: 127.0.0.1', ...fields, '', ''].join('\r\n');
}

/** A promise that is resolved from outside. */
export function signal<T = void>(): { readonly promise: Promise<T>; readonly fire: (value: T) => void } {
  let fire: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    fire = resolve;
  });
  return { promise, fire };
}
