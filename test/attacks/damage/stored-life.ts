import { cpSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { FullLife, type KnownOfLife, type LifeSurroundings, nothingKnown, type Step } from '../../crash/full-life.ts';
import type { Reachable } from '../../crash/host-process.ts';

/** A data root with at least one piece of everything that a host stores, and the answers that a client got. */
export interface StoredLife {
  readonly root: string;
  readonly known: KnownOfLife;
}

const ask = (host: Reachable, path: string, init: RequestInit = {}): Promise<Response> => {
  const { listening = '', authorizationToken = '' } = host.announced ?? {};
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${authorizationToken}`);
  return fetch(`${listening}${path}`, { ...init, headers, signal: AbortSignal.timeout(300_000) });
};

/** Begins an upload in parts and leaves it at its middle. */
async function beginUpload(host: Reachable): Promise<void> {
  const opened = await ask(host, '/v1/owned-media-ingests', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      filename: 'half.mp4',
      declaredBytes: 2000,
      rightsScope: 'local_processing',
      ownershipAttested: true,
      label: 'Clip in parts',
      rightsHolder: 'The tester',
    }),
  });
  const { ingestId } = (await opened.json()) as { ingestId: string };
  const sent = await ask(host, `/v1/owned-media-ingests/${ingestId}/upload`, {
    method: 'PATCH',
    headers: { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
    body: Buffer.alloc(1000, 'half'),
  });
  if (sent.status !== 204) throw new Error(`the part was answered with ${sent.status}: ${await sent.text()}`);
}

/** Lives in `root`; `without` leaves out steps that take long. */
export async function storedLife(
  t: ExecutionContext,
  around: LifeSurroundings,
  root: string,
  without: readonly Step[],
): Promise<StoredLife> {
  mkdirSync(root, { mode: 0o700 });
  const known = nothingKnown();
  const host = await around.openHost(t, root);
  await new FullLife(host, { root, page: around.page, known }).live('collection', without);
  await beginUpload(host);
  await host.stop();
  return { root, known };
}

/** Copies an unused data root. Objects are linked, so change one only by replacing its file. */
export function copyOf(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name);
    const copy = join(to, source.slice(from.length));
    mkdirSync(join(copy, '..'), { recursive: true, mode: 0o700 });
    if (entry.isDirectory()) mkdirSync(copy, { recursive: true, mode: 0o700 });
    else if (source.includes('/objects/')) linkSync(source, copy);
    else cpSync(source, copy);
  }
}

/** Everything that a client can read, by its path. */
export class Answers {
  readonly #host: Reachable;

  constructor(host: Reachable) {
    this.#host = host;
  }

  /** The status and the body of each path. */
  async of(paths: readonly string[]): Promise<Map<string, string>> {
    const answers = new Map<string, string>();
    for (const path of paths) {
      const answer = await ask(this.#host, path);
      answers.set(path, `${answer.status} ${await answer.text()}`);
    }
    return answers;
  }
}

const ofRuntime = [
  '',
  '/events?limit=200',
  '/evidence',
  '/overview',
  '/assessment-audits',
  '/decision-receipts',
  '/publish-review-intakes',
  '/publish-review-decisions',
  '/caption-productions',
  '/caption-production-results',
  '/caption-quality-controls',
  '/caption-quality-reports',
  '/language-explanations',
  '/exports/captions.srt',
  '/progress',
];

interface Listed {
  readonly runtimes: readonly { readonly runtimeId: string }[];
  readonly sourceSessions: readonly { readonly sourceSessionId: string }[];
  readonly ingests: readonly { readonly ingestId: string }[];
  readonly actors: readonly { readonly actorId: string }[];
}

export const lists = [
  '/v1/runtimes',
  '/v1/source-sessions',
  '/v1/owned-media-ingests',
  '/v1/videohost-local-ingests',
  '/v1/actors',
  '/v1/deletions',
  '/v1/signing-keys',
  '/v1/disk-use',
] as const;

/** The paths of everything that a host of this life answers. */
export async function pathsOf(host: Reachable, { spare }: KnownOfLife): Promise<string[]> {
  const list = async (path: string) => (await (await ask(host, path)).json()) as Listed;
  const runtimes = (await list('/v1/runtimes')).runtimes.map(({ runtimeId }) => runtimeId);
  const sessions = (await list('/v1/source-sessions')).sourceSessions;
  const owned = (await list('/v1/owned-media-ingests')).ingests;
  const ranges = (await list('/v1/videohost-local-ingests')).ingests;
  const actors = (await list('/v1/actors')).actors;
  return [
    ...lists,
    ...(spare === null ? [] : [`/v1/runtimes/${spare}`]),
    ...runtimes.flatMap((id) => ofRuntime.map((path) => `/v1/runtimes/${id}${path}`)),
    ...sessions.map(({ sourceSessionId }) => `/v1/source-sessions/${sourceSessionId}/media-probe`),
    ...owned.map(({ ingestId }) => `/v1/owned-media-ingests/${ingestId}`),
    ...ranges.map(({ ingestId }) => `/v1/videohost-local-ingests/${ingestId}`),
    ...actors.map(({ actorId }) => `/v1/actors/${actorId}/transitions`),
  ];
}
