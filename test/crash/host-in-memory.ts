import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { prepareDataRoot } from '../../storage/objects/data-root.ts';
import { type HostInProcess, type InProcessOptions, openInProcess } from '../host/host-in-process.ts';
import { MemoryWire } from '../host/memory-wire.ts';
import { openRealLauncher, TestLauncher } from '../host/test-launcher.ts';

/** A host in this process without a socket. It starts ffmpeg and ffprobe; its detector finds no speech. */
export async function openInMemory(
  t: ExecutionContext,
  root: string,
  options: Omit<InProcessOptions, 'launcher' | 'wire'> = {},
): Promise<HostInProcess> {
  const wire = new MemoryWire(randomUUID());
  const { work } = await prepareDataRoot(root);
  const launcher = new TestLauncher(await openRealLauncher(work));
  return { ...(await openInProcess(t, root, { ...options, launcher, wire })), fetch: fetchOver(wire) };
}

/** `fetch` over a wire in memory. */
const fetchOver =
  (wire: MemoryWire): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const { status, headers, chunks, ended, leave } = await wire.begin(request.method, `${pathname}${search}`, {
      headers: Object.fromEntries(request.headers),
      token: null,
      ...(request.method === 'GET' || request.method === 'HEAD' ? {} : { body }),
    });
    request.signal.addEventListener('abort', leave, { once: true });
    async function* read(): AsyncGenerator<Buffer> {
      try {
        yield* chunks;
        if ((await ended) === 'cut') throw new TypeError('the answer was cut');
      } finally {
        leave();
      }
    }
    const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, `${value}`]);
    const content = status === 204 || status === 304 ? null : ReadableStream.from(read());
    return new Response(content, { status, headers: fields });
  };
