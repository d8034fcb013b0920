import { request } from 'node:http';
import { z } from 'zod';
import { ownedIngestStatus } from '../../contract/ingest.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { askHost, type HostAnswer, type Reachable } from './host-process.ts';
import { waitUntil } from './standstill.ts';

const started = z.looseObject({ runtimeId: z.string(), commandId: z.string() });
const errorBody = z.looseObject({ error: z.looseObject({ code: z.string() }) });
const eventsBody = z.looseObject({
  events: z.array(z.looseObject({ seq: z.number(), type: z.string(), data: z.looseObject({}) })),
  nextCursor: z.number(),
  terminal: z.boolean(),
  reachedHead: z.boolean(),
});

/** All that one client was ever promised for one file, across the lives of the host. */
export interface Promised {
  readonly number: number;
  readonly media: Buffer;
  ingestId: string | null;
  /** A PUT was begun; it may or may not have been acknowledged. */
  sent: boolean;
  received: boolean;
  /** The client requested a study, with or without an acknowledgment. */
  asked: boolean;
  runtime: { readonly runtimeId: string; readonly commandId: string } | null;
  /** The events that were read, as their canonical JSON, and the heads that came with them. */
  events: string[];
  heads: { readonly seq: number; readonly digest: string }[];
  isTerminal: boolean;
}

export const nothingPromised = (number: number, media: Buffer): Promised => ({
  number,
  media,
  ingestId: null,
  sent: false,
  received: false,
  asked: false,
  runtime: null,
  events: [],
  heads: [],
  isTerminal: false,
});

/** The present knowledge of a client, apart from its later knowledge. */
export const knownNow = (promised: Promised): Promised => ({
  ...promised,
  events: [...promised.events],
  heads: [...promised.heads],
});

/** How far a client had come that knows this. */
export const phaseOf = ({ ingestId, asked }: Promised): 'start' | 'ingest' | 'study' =>
  asked ? 'study' : ingestId === null ? 'start' : 'ingest';

/** Speaks to one life of the host. */
export class CrashClient {
  readonly #host: Reachable;

  constructor(host: Reachable) {
    this.#host = host;
  }

  /** Goes all the way to a terminal study. */
  async drive(promised: Promised): Promise<void> {
    await this.ingest(promised);
    await this.start(promised);
    await this.follow(promised, () => promised.isTerminal);
  }

  /** Continues the begun and promised steps of the client in an earlier life of the host. */
  async finish(promised: Promised): Promise<void> {
    await this.ingest(promised);
    await this.registered(promised);
    if (promised.runtime === null && !promised.asked) return;
    await this.start(promised);
    await this.follow(promised, () => promised.isTerminal);
  }

  /** Opens an ingest, unless one is acknowledged already. */
  async open(promised: Promised): Promise<void> {
    const { media, number } = promised;
    if (promised.ingestId === null) {
      const opened = await askHost(this.#host, 'POST', '/v1/owned-media-ingests', {
        filename: `clip-${number}.mp4`,
        declaredBytes: media.length,
        rightsScope: 'local_processing',
        ownershipAttested: true,
        label: `Clip ${number}`,
        rightsHolder: 'The maker of the sample',
      });
      promised.ingestId = this.#status(opened, 202).ingestId;
    }
  }

  /** Begins the upload and sends half of it. The connection then waits for the host to die. */
  async sendHalf(promised: Promised): Promise<void> {
    await this.open(promised);
    const { announced } = this.#host;
    const put = request(`${announced?.listening}/v1/owned-media-ingests/${promised.ingestId}/media`, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${announced?.authorizationToken}`,
        'Content-Type': 'application/octet-stream',
        'Content-Length': promised.media.length,
      },
    });
    put.on('error', () => undefined);
    const half = promised.media.subarray(0, promised.media.length / 2);
    await new Promise<void>((resolve, reject) => put.write(half, (error) => (error ? reject(error) : resolve())));
  }

  /** Opens the ingest and sends its media, if that is not acknowledged yet. */
  async ingest(promised: Promised): Promise<void> {
    await this.open(promised);
    if (promised.received) return;
    const { media } = promised;
    const first = !promised.sent;
    promised.sent = true;
    const put = await askHost(this.#host, 'PUT', `/v1/owned-media-ingests/${promised.ingestId}/media`, media);
    // A host that died between its commit and its answer has the media, although no client knows.
    const isKnown = put.status === 409 && errorBody.parse(JSON.parse(put.text)).error.code === 'ingest_upload_conflict';
    if (first || !isKnown) this.#status(put, 202);
    promised.received = true;
  }

  /** Waits for the source and starts its study. */
  async start(promised: Promised): Promise<void> {
    const source = await this.registered(promised);
    if (promised.runtime !== null) return;
    const wanted = {
      sourceSessionId: source.sourceSessionId,
      sourceRevisionId: source.sourceRevisionId,
      range: { startMs: 0, endMs: 4000 },
      requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null },
      targetLanguage: 'en',
      selectedLanguagePackId: null,
      outputDepth: 'evidence',
    };
    promised.asked = true;
    const planned = started.parse(this.#json(await askHost(this.#host, 'POST', '/v1/runtime-plans', wanted), 200));
    const { runtimeId, commandId } = started.parse(
      this.#json(await askHost(this.#host, 'POST', '/v1/runtime-starts', wanted), 202),
    );
    if (planned.runtimeId !== runtimeId) throw new Error(`planned ${planned.runtimeId}, started ${runtimeId}`);
    promised.runtime = { runtimeId, commandId };
  }

  async registered({ ingestId }: Promised) {
    const read = async () => {
      const reply = await askHost(this.#host, 'GET', `/v1/owned-media-ingests/${ingestId}`);
      const { status, failure, source } = this.#status(reply, 200);
      if (failure !== null) throw new Error(`the ingest failed: ${failure.code}: ${failure.message}`);
      return status === 'registered' ? source : null;
    };
    await waitUntil(this.#host, `${ingestId} is to be registered`, async () => (await read()) !== null);
    const source = await read();
    if (source === null) throw new Error(`${ingestId} has lost its source`);
    return source;
  }

  /** Reads the journal from its beginning until `enough`; what was read in an earlier life must come again, byte for byte. */
  async follow(promised: Promised, enough: () => boolean): Promise<void> {
    const before = promised.events;
    const events: string[] = [];
    const readPage = async (): Promise<boolean> => {
      const path = `/v1/runtimes/${promised.runtime?.runtimeId}/events?after=${events.length}&limit=7&wait=2000`;
      const reply = await askHost(this.#host, 'GET', path);
      const page = eventsBody.parse(this.#json(reply, 200));
      const texts = page.events.map((event) => canonicalJson(event));
      if (!reply.text.includes(`[${texts.join(',')}]`))
        throw new Error('a page is not the canonical JSON of its events');
      events.push(...texts);
      const [seq, digest = ''] = (reply.headers.get('studio-journal-head') ?? '').split(';sha256=');
      promised.heads.push({ seq: Number(seq), digest });
      if (events.length !== page.nextCursor)
        throw new Error(`the page ends at ${page.nextCursor}, not ${events.length}`);
      const known = Math.min(before.length, events.length);
      const changed = events.slice(0, known).findIndex((text, index) => text !== before[index]);
      if (changed >= 0) throw new Error(`event ${changed + 1} was ${before[changed]} and is ${events[changed]}`);
      if (events.length >= before.length) promised.events = events;
      promised.isTerminal = page.terminal && page.reachedHead;
      if (promised.isTerminal && events.length < before.length) throw new Error('events that were read are gone');
      return enough() || promised.isTerminal;
    };
    await waitUntil(this.#host, `${promised.runtime?.runtimeId} is to come to its end`, readPage, { pauseMs: 0 });
  }

  async get(path: string): Promise<unknown> {
    return this.#json(await askHost(this.#host, 'GET', path), 200);
  }

  #status(reply: HostAnswer, status: number) {
    return ownedIngestStatus.parse(this.#json(reply, status));
  }

  #json(reply: HostAnswer, status: number): unknown {
    if (reply.status !== status) throw new Error(`answered ${reply.status}: ${reply.text}`);
    return JSON.parse(reply.text);
  }
}
