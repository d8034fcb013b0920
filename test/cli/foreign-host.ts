import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { hostProofs } from '../../http/routes/operation.ts';
import { startBuilt } from './command.ts';

/** The token of the hosts here, and of the commands that ask them. */
const token = 'any';

const facts = { device: '1', inode: '1', pid: process.pid, startedAt: null };

/**
 * A host at an address of this machine that answers as it likes; its origin. It ends with the test. Like every host it first proves that
 * it knows the token.
 */
export async function serving(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    if (url.pathname !== '/v1/host-proof') return void answer(request, response);
    const { port } = server.address() as AddressInfo;
    const prove = hostProofs(facts, token, { address: '127.0.0.1', port });
    response.end(JSON.stringify(prove(url.searchParams.get('nonce') ?? '')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The built command, asked of a host at this address, and what it has said on stderr. It ends with the test. */
export function commandOn(t: ExecutionContext, MEDIA_STUDY_HOST: string, call: readonly string[]) {
  const command = startBuilt('build/media-study.js', call, { MEDIA_STUDY_HOST, MEDIA_STUDY_TOKEN: token });
  t.teardown(() => command.kill('SIGKILL'));
  let said = '';
  command.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return { command, said: () => said };
}
