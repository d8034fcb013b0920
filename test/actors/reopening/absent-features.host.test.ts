import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { TranslationAsker } from '../../../actors/captions/translation-asker.ts';
import type { Translations } from '../../../actors/engines/engine-choices.ts';
import { openHost } from '../../../actors/host.ts';
import type { CaptionTranslator } from '../../../contract/captions/caption-line.ts';
import {
  schemaInPrompt,
  type TranslationConfiguration,
  translationLimits,
} from '../../../contract/captions/caption-translation.ts';
import { goldenHost } from '../../../fixtures/golden-store/contents.ts';
import { sampleFolder } from '../../../fixtures/sample/gold.ts';
import { translationLabels } from '../../../fixtures/translations/labels.ts';
import { contentIdOfJson } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { type CaptionJob, textToTranslateOf } from '../../../receipts/captions/artifact.ts';
import { captionInputOf } from '../../../receipts/captions/captioned-study.ts';
import { translationOf } from '../../../receipts/captions/translation.ts';
import { gatesOver, translationPromptContract } from '../../../rules/translation/plan.ts';
import { prepareDataRoot } from '../../../storage/objects/data-root.ts';
import { verify } from '../../cli/verified-root.ts';
import { clockAfter, describedReleases, unpacked } from '../../crash/stored-releases.ts';
import { openRealLauncher, TestLauncher } from '../../host/test-launcher.ts';
import { approvedStudy } from '../captions/caption-bench.ts';

// An older study with records of a feature verifies without the feature. These tests are part of `npm run without`.

/** A host of the core alone on the data root. */
async function openCore(t: ExecutionContext, dataRoot: string, clock = goldenHost.clock) {
  const { work } = await prepareDataRoot(dataRoot);
  const reported: string[] = [];
  const host = await openHost({
    ...goldenHost,
    features: [],
    sources: [{ directory: sampleFolder, root: null }],
    dataRoot,
    clock,
    launcher: new TestLauncher(await openRealLauncher(work)),
    report: (line) => reported.push(line),
    onFatal: (error) => t.fail(error.message),
  });
  host.begin();
  return { host, reported };
}

/** The links of a study that `verify` reads, each once. */
async function verifiedLinks(t: ExecutionContext, dataRoot: string, runtimeId: string): Promise<readonly string[]> {
  const { exit, stdout } = await verify(runtimeId, '--data-root', dataRoot, '--json');
  t.is(exit, 0, stdout);
  const { verdict, checked } = JSON.parse(stdout) as { verdict: string; checked: readonly { link: string }[] };
  t.is(verdict, 'intact');
  return [...new Set(checked.map(({ link }) => link))];
}

/** Stores that releases left, with the links of features in each and the evidence of these. */
const stores = {
  'language-explanation.completed': { links: ['explanation', 'explanation_receipt'], evidence: [] },
  'life.whole': { links: ['recognition', 'screen_text', 'explanation'], evidence: ['transcript'] },
  'life.recognized': { links: ['recognition'], evidence: ['transcript'] },
} as const;

for (const [name, known] of describedReleases) {
  for (const [state, { links, evidence }] of Object.entries(stores)) {
    const stored = known.stores[state];
    if (stored === undefined) continue;
    test(`${state} of ${name} opens and verifies without any feature`, async (t) => {
      const folder = unpacked(name, [state]);
      t.teardown(() => rm(folder, { recursive: true, force: true }));
      const root = join(folder, state);
      const { runtimeId = stored.id } = stored;
      const { host, reported } = await openCore(t, root, clockAfter(known));
      const read = await host.audits.evidence(runtimeId, null);
      const available = read.evidence.flatMap(({ kind, state: found }) => (found === 'available' ? [kind] : []));
      for (const kind of evidence) t.true(available.includes(kind), kind);
      await host.close();
      t.deepEqual(
        reported.filter((line) => /damaged|ended at recovery/.test(line)),
        [],
      );
      const verified = await verifiedLinks(t, root, runtimeId);
      for (const link of links) t.true(verified.includes(link), link);
    });
  }
  if (known.stores['videohost-ingest.registered'] === undefined) continue;
  test(`a source that a video host of ${name} left stays in a host without that feature`, async (t) => {
    const state = 'videohost-ingest.registered';
    const folder = unpacked(name, [state]);
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const { host } = await openCore(t, join(folder, state), clockAfter(known));
    t.is(host.sources.list().rows.length, 2);
    await host.close();
  });
}

const configuration: TranslationConfiguration = {
  ...{ schema: 'studio.caption-translation.configuration.v2', baseUrl: 'http://127.0.0.1:1/v1', model: 'stub' },
  ...{ responseFormats: ['json_schema', 'json_object', 'text'], schemaInPrompt, isStreamed: true },
  ...{ reasoningEffort: 'none', chatTemplateKwargs: { enable_thinking: false } },
  ...{ temperature: 0, tokenLimitFields: ['max_tokens'] },
  ...{ limits: translationLimits, retries: 0, redirects: 'refused' },
};
const identity: CaptionTranslator = {
  model: 'stub',
  promptContentId: contentIdOfJson(translationPromptContract),
  configurationContentId: contentIdOfJson(configuration),
};

const korean =
  translationLabels()
    .find(({ sourceLanguage }) => sourceLanguage === 'ko')
    ?.lines.slice(0, 8) ?? [];
const english = new Map(korean.map(({ source, translation }) => [source, translation]));

/** Translates as the feature does, from the parts of the core. */
const translations: Translations = {
  identity,
  isAbsent: async () => false,
  async translated(job: CaptionJob, signal) {
    const text = resultOfSteps(textToTranslateOf(job));
    if (text === null) return { job, writes: [] };
    const asker = new TranslationAsker({
      gates: gatesOver.oneAnswer,
      detector: { identify: async (texts) => texts.map(() => ({ isCovered: false, odds: [] })) },
      chat: {
        async ask({ user }) {
          const { lines } = JSON.parse(user) as { lines: Readonly<Record<string, string>> };
          const answers = Object.entries(lines).map(([id, source]) => [
            id,
            { source, translation: english.get(source) ?? '' },
          ]);
          const answer = JSON.stringify({ lines: Object.fromEntries(answers) });
          return { text: answer, responseId: null, model: null, inputTokens: null, outputTokens: null };
        },
      },
    });
    const { sourceLanguage, targetLanguage } = captionInputOf(job.study);
    const answered = await asker.answers({ lines: text.lines, sourceLanguage, targetLanguage }, signal);
    const record = { prompt: translationPromptContract, configuration, ...answered };
    return { job: { ...job, translation: resultOfSteps(translationOf(job, record)) }, writes: [] };
  },
};

test('translated captions verify in a host without the feature that translated them', async (t) => {
  const cues = korean.map(({ source: text }, at) => ({ startMs: at * 160, endMs: at * 160 + 150, text }));
  const tracks = [{ trackIndex: 2, taggedLanguage: 'ko', code: 'ko', cues }] as const;
  const { root, bench, runtimeId, approval } = await approvedStudy(
    t,
    { classification: 'subtitle_tracks_translated', translator: () => translations },
    { tracks },
  );
  const { captions } = await bench.captions.produce(runtimeId, { approval });
  t.is(captions[0]?.result.targetAvailableCount, korean.length);
  await bench.close();
  t.true((await verifiedLinks(t, root, runtimeId)).includes('caption_translation'));
  const { host } = await openCore(t, root);
  t.is((await host.overviews.of(runtimeId)).captions.state, 'done');
  await host.close();
});
