import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { spokenLanguage } from '../../client/studies.ts';
import { lifeFlags, lifeWindowing, recognizerPort } from '../../fixtures/golden-store/life.ts';
import { stubTranscriber, transcribes } from '../../fixtures/hosted-model/stub-transcriber.ts';
import { speechFile, utterances } from '../../fixtures/speech/gold.ts';
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { approveCaptions, openClientHost } from '../../test/actors/client-host.ts';
import { type OpenedStore, openStore } from '../../test/actors/reopening/stored-studies.ts';
import { CopiedLife } from '../../test/crash/copied-lives.ts';
import { FullLife, type KnownOfLife, LifeSurroundings, nothingKnown } from '../../test/crash/full-life.ts';

/** A data root of a full life, as it was left at one of its commits or at its end. */
interface LeftOfLife {
  readonly root: string;
  /** The study with all its later stages; null until it was acknowledged. */
  readonly runtimeId: string | null;
  /** The study that is deleted. */
  readonly spare: string | null;
}

/** A full life of a host in this process, and a copy of its data root at each commit, as a kill would leave it. */
export async function cutLife(
  t: ExecutionContext,
  scratch: string,
): Promise<{ readonly whole: LeftOfLife; readonly left: readonly LeftOfLife[] }> {
  const root = path.join(scratch, 'life');
  const copies = path.join(scratch, 'life-copies');
  for (const folder of [root, copies]) await mkdir(folder, { mode: 0o700 });
  const around = await LifeSurroundings.open(recognizerPort);
  try {
    const known = nothingKnown();
    const life = new CopiedLife({
      root,
      copies,
      isWanted: (point) => point === 'commit:after',
      known: () => ({ ...known }),
    });
    const host = await around.openHost(t, root, { flags: lifeFlags, points: life.point, windowing: lifeWindowing });
    // Media of its own is in the stores of ingests, and would make this one large.
    await new FullLife(host, { root, page: around.page, known }).live('collection', [
      'range',
      'upload',
      'subtitles',
      'backup',
    ]);
    await host.stop();
    return { whole: leftOf(root, known), left: life.left.map((each) => leftOf(each.root, each.known)) };
  } finally {
    await around.close();
  }
}

const leftOf = (root: string, { runtimeId, spare }: KnownOfLife): LeftOfLife => ({ root, runtimeId, spare });

/** True if a data root has a recorded deletion that has not erased everything. */
export const isErasing = (root: string): Promise<boolean> =>
  isSeen(root, async ({ ledger }) => (await ledger.list('record', erasingPrefix)).length > 0);

const keptWindow = z.object({ window: z.object({}) });

/** True if a data root has a pass that was cut after two of its windows. */
export const hasWindows = (root: string): Promise<boolean> =>
  isSeen(root, async ({ ledger }) => {
    const rows = await ledger.list('operation');
    return rows.filter(({ value }) => keptWindow.safeParse(value).success).length === 2;
  });

/** A data root is copied before it is looked at: a look may change it. */
async function isSeen(root: string, look: (store: OpenedStore) => Promise<boolean>): Promise<boolean> {
  const copy = `${root}-seen`;
  await cp(root, copy, { recursive: true });
  const store = await openStore(copy);
  try {
    return await look(store);
  } finally {
    await store.close();
    await rm(copy, { recursive: true });
  }
}

const recognizedFlags = [
  ...['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small', '--allow-real-semantic-evidence'],
  ...['--caption-executor', 'recognized', '--allow-recognized-captions'],
];

/** Makes a data root with a study of speech whose captions are the recognized text. Returns the id of its runtime. */
export async function cutRecognized(t: ExecutionContext, root: string): Promise<string> {
  await mkdir(root, { mode: 0o700 });
  let asked = 0;
  const server = await stubTranscriber((response, region) => {
    const measures = { avg_logprob: -0.1, compression_ratio: 0.9, no_speech_prob: 0.01 };
    const segments = [{ text: utterances[asked++ % utterances.length], start: 0.1, end: 2.7, ...measures }];
    transcribes({ language: 'english', segments })(response, region);
  });
  try {
    const environment = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: '' };
    const { host, client } = await openClientHost(t, root, { flags: recognizedFlags, environment });
    const given = { label: 'Three sentences', rightsHolder: 'The project', ownershipAttested: true } as const;
    const source = await client.ingestFile(speechFile, given);
    const { runtimeId } = await client
      .study(source, { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en') })
      .ended();
    await approveCaptions(client, runtimeId);
    await client.captions.produce(runtimeId);
    await client.captions.checked(runtimeId);
    await host.stop();
    return runtimeId;
  } finally {
    server.close();
  }
}
