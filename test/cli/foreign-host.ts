import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { startBuilt } from './command.ts';

/** A program at an address of this machine that answers as it likes; its origin. It ends with the test. */
export async function serving(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The built command, asked of a host at this address, and what it has said on stderr. It ends with the test. */
export function commandOn(t: ExecutionContext, MEDIA_STUDY_HOST: string, call: readonly string[]) {
  const command = startBuilt('build/media-study.js', call, { MEDIA_STUDY_HOST, MEDIA_STUDY_TOKEN: 'any' });
  t.teardown(() => command.kill('SIGKILL'));
  let said = '';
  command.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return { command, said: () => said };
}
