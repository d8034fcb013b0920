import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { stubTranscriber, transcribes } from '../../fixtures/hosted-model/stub-transcriber.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { openVideoHost, type VideoHost } from '../../fixtures/video-host/server.ts';
import { writeBackup } from '../../storage/backup/write-backup.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { type InProcessOptions, openInProcess, withDownloader } from '../host/host-in-process.ts';
import { CrashClient, knownNow, nothingPromised, type Promised } from './client.ts';
import { clientOf, type Reachable } from './host-process.ts';
import { LaterClient } from './later-client.ts';
import { mediaNumber } from './media.ts';
import { askRange, rangeReached } from './range-client.ts';

const range = { startMs: 1000, endMs: 4000 };

/** The answers that the client of a life got, step by step. */
export interface KnownOfLife {
  readonly upload: Promised;
  /** The ingest of the range; null until it was acknowledged. */
  range: string | null;
  /** The study that gets captions, an explanation, a bundle and a withdrawal. */
  runtimeId: string | null;
  /** The study that is deleted. */
  spare: string | null;
  /** The last step that has come to its end. */
  done: Step | null;
  /** Answers that no later step may change, by request. */
  readonly answers: Map<string, unknown>;
}

const steps = [
  'range',
  'upload',
  'subtitles',
  'study',
  'captions',
  'explanation',
  'bundle',
  'spare',
  'deletion',
  'backup',
  'collection',
  'withdrawal',
] as const;
export type Step = (typeof steps)[number];

export const nothingKnown = (): KnownOfLife => ({
  upload: nothingPromised(0, mediaNumber(0)),
  range: null,
  runtimeId: null,
  spare: null,
  done: null,
  answers: new Map(),
});

/** The present knowledge, apart from later knowledge. */
export const knownOfLifeNow = (known: KnownOfLife): KnownOfLife => ({
  ...known,
  upload: knownNow(known.upload),
  answers: new Map(known.answers),
});

const flags = [
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
  ...['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small', '--allow-real-semantic-evidence'],
];

type Recognizer = Awaited<ReturnType<typeof stubTranscriber>>;

/** Everything that a full life needs beside its host: a video host, a recognizer and a model, all on this machine. */
export class LifeSurroundings {
  readonly #videos: VideoHost;
  readonly #model: StubProvider;
  readonly #recognizer: Recognizer;

  private constructor(videos: VideoHost, model: StubProvider, recognizer: Recognizer) {
    this.#videos = videos;
    this.#model = model;
    this.#recognizer = recognizer;
  }

  /** The port of the recognizer, if given: the store contains its address with the recognized text. */
  static async open(recognizerPort?: number): Promise<LifeSurroundings> {
    const videos = await openVideoHost({ media: sampleMedia, statedSeconds: 50, port: 0 });
    const model = await StubProvider.start();
    const recognizer = await stubTranscriber(
      transcribes({ text: 'hello', segments: [] }),
      recognizerPort,
      model.baseUrl,
    );
    return new LifeSurroundings(videos, model, recognizer);
  }

  get page(): string {
    return `${this.#videos.origin}/page.html`;
  }

  openHost(
    t: ExecutionContext,
    root: string,
    { flags: own = [], ...more }: Omit<InProcessOptions, 'environment'> = {},
  ) {
    return openInProcess(t, root, {
      flags: [...flags, '--videohost-origin', this.#videos.origin, '--allow-loopback-videohost', ...own],
      environment: { ...withDownloader, OPENAI_BASE_URL: this.#recognizer.baseUrl, OPENAI_API_KEY: '' },
      ...more,
    });
  }

  async close(): Promise<void> {
    await this.#videos.close();
    await this.#model.close();
    this.#recognizer.close();
  }
}

/** Takes one host through everything that a user can have done, from wherever an earlier life of the host left it. */
export class FullLife {
  readonly #known: KnownOfLife;
  readonly #page: string;
  readonly #root: string;
  readonly #host: Reachable;
  readonly #client: StudyHost;
  readonly #later: LaterClient;

  constructor(host: Reachable, { root, page, known }: { root: string; page: string; known: KnownOfLife }) {
    this.#host = host;
    this.#root = root;
    this.#page = page;
    this.#known = known;
    this.#client = clientOf(host);
    this.#later = new LaterClient(host);
  }

  /** Goes on to the end of `last`. */
  async live(last: Step = 'withdrawal', without: readonly Step[] = []): Promise<void> {
    const { done } = this.#known;
    for (const step of steps.slice(done === null ? 0 : steps.indexOf(done) + 1, steps.indexOf(last) + 1)) {
      if (!without.includes(step)) await this.#step(step);
      this.#known.done = step;
    }
  }

  /** Answers of an earlier life are the same again. */
  async askAgain(): Promise<string[]> {
    const changed: string[] = [];
    for (const [question, before] of this.#known.answers) {
      const answer = await this.#ask(question);
      // A journal may have gained events, and nothing else.
      const now = Array.isArray(answer) && Array.isArray(before) ? answer.slice(0, before.length) : answer;
      const [was, is] = [JSON.stringify(before), JSON.stringify(now)];
      if (was !== is) changed.push(`${question} was ${was} and is ${is}`);
    }
    return changed;
  }

  async #step(step: Step): Promise<void> {
    const known = this.#known;
    switch (step) {
      case 'range': {
        known.range ??= await askRange(this.#host, { url: this.#page, ...range });
        const { status } = await rangeReached(this.#host, known.range ?? '');
        if (status !== 'registered') throw new Error(`the range is ${status}`);
        return this.#record(`range ${known.range}`);
      }
      case 'upload':
        return new CrashClient(this.#host).drive(known.upload);
      case 'subtitles': {
        const { sourceSessionId } = await this.#source(isUpload);
        const lines = new File(['1\n00:00:01,000 --> 00:00:03,000\nBonjour\n'], 'lines.srt');
        await this.#client.subtitles.attach(sourceSessionId, lines, {
          rightsHolder: 'The tester',
          ownershipAttested: true,
          language: 'fr',
        });
        return this.#record(`subtitles ${sourceSessionId}`);
      }
      case 'study':
        known.runtimeId ??= await this.#later.study(await this.#source(isSample));
        return this.#record(`events ${known.runtimeId}`);
      case 'captions':
        await this.#later.caption(known.runtimeId ?? '');
        return this.#record(`events ${known.runtimeId}`);
      case 'explanation':
        await this.#later.explain(known.runtimeId ?? '');
        return this.#record(`events ${known.runtimeId}`);
      case 'bundle':
        await new Response(await this.#client.bundle(known.runtimeId ?? '')).arrayBuffer();
        return this.#record('keys ');
      case 'spare':
        known.spare ??= await this.#later.study(await this.#source(isSample), 'spare');
        return;
      case 'deletion':
        await this.#client.deletions.runtime(known.spare ?? '');
        return this.#record(`deletion ${known.spare}`);
      case 'backup':
        return this.#backUp();
      case 'collection':
        await this.#client.deletions.collect({ dryRun: false });
        return;
      case 'withdrawal':
        return this.#later.finish(known.runtimeId ?? '');
    }
  }

  /** As the command does it beside a running host. */
  async #backUp(): Promise<void> {
    const { folder, ...copied } = await this.#client.snapshotLedger();
    const copy = { ...copied, folder: join(this.#root, folder) };
    await writeBackup({
      layout: dataRootAt(this.#root),
      target: `${this.#root}-backup`,
      clock: systemClock,
      newId: randomUUID,
      copyLedger: async () => copy,
    });
    await rm(copy.folder, { recursive: true });
  }

  async #record(question: string): Promise<void> {
    this.#known.answers.set(question, await this.#ask(question));
  }

  async #ask(question: string): Promise<unknown> {
    const [what, id = ''] = question.split(' ');
    if (what === 'events') return this.#later.journal(id);
    if (what === 'keys') return this.#client.signingKeys();
    if (what === 'deletion') return this.#client.deletions.runtime(id);
    if (what === 'subtitles') return this.#client.subtitles.list(id);
    return (await rangeReached(this.#host, id)).source;
  }

  async #source(isWanted: (source: Listed) => boolean) {
    const found = (await this.#client.sources()).find(isWanted);
    if (found === undefined) throw new Error('the source is not listed');
    return found;
  }
}

type Listed = Awaited<ReturnType<StudyHost['sources']>>[number];

const isUpload = ({ label }: Listed): boolean => label.startsWith('Clip ');
const isSample = (source: Listed): boolean => source.sourceKind === 'owned_local' && !isUpload(source);
