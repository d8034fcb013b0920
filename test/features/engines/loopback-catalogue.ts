import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { create } from 'tar';
import { repository } from '../../cli/command.ts';

/** What the server does with a request for weights. `cut` sends a part once, and `held` sends a part and no end. */
export type Serving = 'whole' | 'cut' | 'held' | 'other' | 'missing';

/** A server on loopback with the archive of a program and with weights, and the catalogue that names both. */
export interface LoopbackCatalogue {
  /** The environment of a command that takes this catalogue. */
  readonly environment: Readonly<Record<string, string>>;
  /** The path of each request, with the first byte that it wants. */
  readonly asked: { readonly path: string; readonly from: number }[];
  /** How requests for weights are answered from now on. */
  serve(how: Serving): void;
  close(): Promise<void>;
}

/** The files of an engine: a program, by default one that hears the sentence of the self-test, and weights. */
interface EngineFiles {
  readonly program?: string;
  readonly weights?: string;
}

const published = async (path: string, file: string, origin: string) => ({
  file,
  origin,
  bytes: (await stat(path)).size,
  isExactLength: true,
  sha256: createHash('sha256')
    .update(await readFile(path))
    .digest('hex'),
  license: 'MIT',
  copyright: '2026 Nobody',
});

/** Serves an engine named `whisper-small-test` to the end of a test. */
export async function loopbackCatalogue(
  t: ExecutionContext,
  folder: string,
  { program = join(repository, 'fixtures/executables/whisper-cli-hears-the-train'), weights }: EngineFiles = {},
): Promise<LoopbackCatalogue> {
  const files = join(folder, 'published');
  await mkdir(join(files, 'release'), { recursive: true });
  await copyFile(program, join(files, 'release', 'whisper-cli'));
  await chmod(join(files, 'release', 'whisper-cli'), 0o755);
  const [archive, model] = ['whisper-test.tar.gz', 'ggml-test.bin'];
  await create({ file: join(files, archive), cwd: files, gzip: true }, ['release']);
  if (weights === undefined) await writeFile(join(files, model), Buffer.alloc(300_000, 'weights'));
  else await copyFile(weights, join(files, model));
  const asked: LoopbackCatalogue['asked'][number][] = [];
  let serving: Serving = 'whole';
  const server = createServer(async ({ url = '', headers }, response): Promise<unknown> => {
    const from = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    asked.push({ path: url, from });
    const isModel = url === `/${model}`;
    const how = isModel ? serving : 'whole';
    if (how === 'missing') return response.writeHead(404).end();
    const all = how === 'other' ? Buffer.alloc(300_000, 'other') : await readFile(join(files, url)).catch(() => null);
    if (all === null) return response.writeHead(404).end();
    const left = all.subarray(from);
    const range = from > 0 ? { 'content-range': `bytes ${from}-${all.length - 1}/${all.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': left.length, ...range });
    if (how !== 'cut' && how !== 'held') return response.end(left);
    if (how === 'cut' && from > 0) return response.destroy();
    return response.write(left.subarray(0, 100_000), () => {
      if (how === 'cut') response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.teardown(close);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const catalogue = {
    schema: 'studio.engine-catalogue.v1',
    programs: { [`${process.platform}-${process.arch}`]: await published(join(files, archive), archive, origin) },
    engines: [
      {
        name: 'whisper-small-test',
        program: 'whisper-cli',
        weights: await published(join(files, model), model, origin),
        languages: 99,
        memoryBytes: 1e6,
        windowCpuSeconds: 0.1,
      },
    ],
  };
  const path = join(folder, 'catalogue.json');
  await writeFile(path, JSON.stringify(catalogue));
  return {
    environment: { MEDIA_STUDY_ENGINE_CATALOGUE: path, MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx' },
    asked,
    serve: (how) => {
      serving = how;
    },
    close,
  };
}
