import test, { type ExecutionContext } from 'ava';
import { verifyRuntime } from '../../../actors/reopening/verify-runtime.ts';
import { nameOf, rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { dataRootAt } from '../../../storage/objects/data-root-layout.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import { held } from '../captions/caption-bench.ts';
import {
  openExplanationBench,
  questionIn,
  type ScriptedExplainer,
  scriptedExplainer,
} from '../explanations/explanation-bench.ts';
import { newDataRoot, openStore, store } from './stored-studies.ts';

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });

type Bench = Awaited<ReturnType<typeof openExplanationBench>>;
type Row = Record<string, unknown>;

interface Scene {
  readonly bench: Bench;
  readonly explainer: ScriptedExplainer;
  readonly runtimeId: string;
}

/** Has something begin that stores; resolves when its n-th storing stands still, for the host to die there. */
async function cutAtStoring({ bench }: Scene, storing: number, begin: () => Promise<unknown>): Promise<void> {
  const gate = held();
  let stored = 0;
  bench.hook.storing = () => {
    stored += 1;
    return stored === storing ? gate.wait() : undefined;
  };
  begin().catch(() => undefined);
  await gate.reached;
}

const approved = ({ bench, runtimeId }: Scene) => bench.approve(runtimeId);

async function captioned(scene: Scene) {
  const approval = await approved(scene);
  await scene.bench.captions.produce(scene.runtimeId, { approval });
  return approval;
}

interface Case {
  /** Leads a host to the state in which it dies. */
  readonly leave: (scene: Scene) => Promise<unknown>;
  readonly row: 'caption-production' | 'language-explanation';
  /** What the next host adds to the journal when it starts. */
  readonly said: readonly (string | RegExp)[];
  /** What a client then does as if nothing had happened, and what the journal says of it. */
  readonly again: (scene: Scene) => Promise<unknown>;
  readonly saidAgain: readonly string[];
}

const checked = ['artifact.recorded', 'caption.quality_control_decided'];
const made = ['artifact.recorded', 'artifact.recorded'];

async function approvalOf({ bench, runtimeId }: Scene) {
  const [review] = (await bench.reviews.reviews(runtimeId)).reviews;
  if (review === undefined) throw new Error('nothing was decided');
  const { reviewId, artifactId, receiptId, receiptContentId } = review;
  return { reviewId, artifactId, receiptId, receiptContentId };
}

async function check({ bench, runtimeId }: Scene) {
  const [caption] = (await bench.reads.productions(runtimeId)).captions;
  if (caption === undefined) throw new Error('there are no captions');
  const { jobId, captionArtifactId, captionContentId, receiptId, receiptContentId } = caption;
  const receipt = { captionReceiptId: receiptId, captionReceiptContentId: receiptContentId };
  await bench.captions.check(runtimeId, { candidate: { jobId, captionArtifactId, captionContentId, ...receipt } });
}

const produce = async (scene: Scene) =>
  scene.bench.captions.produce(scene.runtimeId, { approval: await approvalOf(scene) });

const explain = async ({ bench, runtimeId }: Scene) =>
  bench.explanations.explain(runtimeId, await questionIn(bench, runtimeId));

const cases: Readonly<Record<string, Case>> = {
  'captions that are being made': {
    leave: async (scene) => {
      const approval = await approved(scene);
      await cutAtStoring(scene, 1, () => scene.bench.captions.produce(scene.runtimeId, { approval }));
    },
    row: 'caption-production',
    said: ['caption.production_failed'],
    again: produce,
    saidAgain: ['caption.production_started', ...made, 'caption.production_completed', ...checked],
  },
  'captions that are being checked': {
    leave: async (scene) => {
      const approval = await approved(scene);
      await cutAtStoring(scene, 2, () => scene.bench.captions.produce(scene.runtimeId, { approval }));
    },
    row: 'caption-production',
    said: [],
    again: check,
    saidAgain: checked,
  },
  'captions without a check, at rest': {
    leave: async (scene) => {
      const approval = await approved(scene);
      let stored = 0;
      scene.bench.hook.storing = () => {
        stored += 1;
        if (stored === 2) throw new Error('the disk is full');
      };
      await scene.bench.captions.produce(scene.runtimeId, { approval });
    },
    row: 'caption-production',
    said: [],
    again: check,
    saidAgain: checked,
  },
  'an explanation that is being asked for': {
    leave: async (scene) => {
      await captioned(scene);
      const gate = held();
      scene.explainer.answer = async () => {
        await gate.wait();
        throw new Error('nobody is there any more');
      };
      explain(scene).catch(() => undefined);
      await gate.reached;
    },
    row: 'language-explanation',
    said: [/^failed interrupted: /],
    again: explain,
    saidAgain: ['started', ...made, 'completed'],
  },
};

const changes: Readonly<Record<string, (row: Row) => Row>> = {
  'of an older version of its chart': (row) => ({ ...row, machineVersion: 0 }),
  'of a newer version of its chart, in a state of that': (row) => ({
    ...row,
    machineVersion: 2,
    status: 'elsewhere',
    snapshot: { ...Object(row.snapshot), value: 'elsewhere' },
  }),
  'in a state that no version has': (row) => ({
    ...row,
    status: 'elsewhere',
    snapshot: { ...Object(row.snapshot), value: { else: 'where' } },
  }),
};

async function openScene(t: ExecutionContext, root: string, runtimeId: string): Promise<Scene> {
  const explainer = scriptedExplainer();
  const bench = await openExplanationBench(t, root, { explainer });
  await bench.recover();
  return { bench, explainer, runtimeId };
}

/** Every list of a runtime can be read, also by a process that knows nothing of it. */
async function readsAll(t: ExecutionContext, { bench, runtimeId }: Scene): Promise<void> {
  await t.notThrowsAsync(bench.reviews.intakes(runtimeId));
  await t.notThrowsAsync(bench.reviews.reviews(runtimeId));
  await t.notThrowsAsync(bench.reads.productions(runtimeId));
  await t.notThrowsAsync(bench.reads.qualityControls(runtimeId));
  await t.notThrowsAsync(bench.explanations.list(runtimeId));
}

async function isIntact(t: ExecutionContext, root: string, runtimeId: string): Promise<void> {
  const opened = await openStore(root);
  await t.notThrowsAsync(verifyRuntime(opened, runtimeId, () => undefined));
  await opened.close();
}

for (const [what, { leave, row, said, again, saidAgain }] of Object.entries(cases)) {
  for (const [how, change] of Object.entries(changes)) {
    test(`${what}, ${how}, leaves a runtime that reads and verifies, and can be gone on with`, async (t) => {
      const root = await newDataRoot(t);
      const first = await openScene(t, root, '');
      const runtimeId = await store(first.bench.store, study);
      await leave({ ...first, runtimeId });
      const { seq: before } = first.bench.ledger.journalHead(runtimeId);
      await first.bench.close();
      await withRawRows(dataRootAt(root).ledger, async (rows) => {
        for await (const [key, stored] of rows.iterator()) {
          const name = nameOf(key);
          if (!name.startsWith(`${row}:`) || !key.equals(rowKey('snapshot', name))) continue;
          await rows.put(key, encodeRow(key, change(decodeRow(key, stored) as Row)));
        }
      });

      const scene = await openScene(t, root, runtimeId);
      const words = await scene.bench.said(runtimeId, before);
      t.is(words.length, said.length, words.join(', '));
      for (const [at, word] of said.entries()) t.regex(words[at] ?? '', new RegExp(word));
      await readsAll(t, scene);
      const { seq: after } = scene.bench.ledger.journalHead(runtimeId);
      await again(scene);
      t.deepEqual(await scene.bench.said(runtimeId, after), saidAgain);
      await readsAll(t, scene);
      await scene.bench.close();
      await isIntact(t, root, runtimeId);
    });
  }
}
