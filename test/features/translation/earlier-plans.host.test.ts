import test, { type ExecutionContext } from 'ava';
import type { Translations } from '../../../actors/engines/engine-choices.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import type { CaptionTranslator } from '../../../contract/captions/caption-line.ts';
import type { CaptionPlan } from '../../../contract/captions/caption-plan.ts';
import {
  schemaInPrompt,
  type TranslationConfiguration,
  translationConfiguration,
  translationLimits,
} from '../../../contract/captions/caption-translation.ts';
import type { HostedChat } from '../../../executors/model-server/hosted-chat.ts';
import {
  CaptionTranslations,
  earlierIdentitiesOf,
  translatorIdentityOf,
} from '../../../features/translation/caption-translations.ts';
import { contentIdOfJson } from '../../../formats/canonical-json.ts';
import { isConfigurationOfPlan, isExecutorOfPlan, otherThanPlanned } from '../../../receipts/captions/followed-plan.ts';
import { gatesOver } from '../../../rules/translation/plan.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { openCaptionBench } from '../../actors/captions/caption-bench.ts';
import { translators } from '../../actors/engines/named-engines.ts';
import { newDataRoot, store } from '../../actors/reopening/stored-studies.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';

// Approvals whose caption plan names a translator by the configuration of an earlier version of the program.

const { here } = translators;
const classification = 'subtitle_tracks_translated';

const korean = ['안녕하세요, 여러분.', '오늘은 날씨가 좋네요.', '내일 다시 만나요.'];
const english = ['Hello, everyone.', 'The weather is nice today.', 'See you again tomorrow.'];
const tracks = [
  {
    ...{ trackIndex: 2, taggedLanguage: 'ko', code: 'ko' },
    cues: korean.map((text, at) => ({ startMs: at * 1000, endMs: at * 1000 + 900, text })),
  },
];

const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

const chat: HostedChat = {
  async ask({ user }) {
    const { lines } = JSON.parse(user) as { lines: Readonly<Record<string, string>> };
    const answers = Object.entries(lines).map(([id, source]) => [
      id,
      { source, translation: english[korean.indexOf(source)] ?? '' },
    ]);
    const text = JSON.stringify({ lines: Object.fromEntries(answers) });
    return { text, responseId: null, model: null, inputTokens: null, outputTokens: null };
  },
};

/** The translator of this version for a model. */
const translating =
  (model: string = here.model) =>
  (ledger: Ledger): CaptionTranslations =>
    new CaptionTranslations({
      ...{ ...here, model, chat, detector, ledger, gates: gatesOver.twoAnswers, isAbsent: async () => false },
    });

/** The configuration of the model in 1.0.0, written down as that version wrote it. */
const configurationOf100 = (model: string): TranslationConfiguration => ({
  schema: 'studio.caption-translation.configuration.v1',
  baseUrl: here.provider.baseUrl,
  model,
  responseFormat: 'json_schema_strict',
  temperature: 0,
  tokenLimitFields: ['max_completion_tokens', 'max_tokens'],
  limits: {
    batchLines: 8,
    contextLines: 2,
    maxCompletionTokens: 2000,
    maxProviderResponseBytes: 131_072,
    maxOutputBytes: 65_536,
    maxAskWallMs: 60_000,
    maxWallMs: 240_000,
  },
  retries: 0,
  redirects: 'refused',
});

/** A translator of an earlier version, which only plans. */
const earlier = (identity: CaptionTranslator): Translations => ({
  identity,
  isAbsent: async () => false,
  translated: () => Promise.reject(new Error('the earlier version makes no captions here')),
});

const identityOf100: CaptionTranslator = {
  ...translatorIdentityOf(here),
  configurationContentId: contentIdOfJson(configurationOf100(here.model)),
};

/** A data root in which an earlier version recorded an approval with its plan. */
async function approvedEarlier(t: ExecutionContext, identity = identityOf100) {
  const root = await newDataRoot(t);
  const bench = await openCaptionBench(t, root, { classification, translator: () => earlier(identity) });
  await bench.recover();
  const runtimeId = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks }));
  const { digest, plan } = await bench.plans.read(runtimeId, { from: null, to: null, method: null, tracks: [] });
  const approval = await bench.approve(runtimeId, digest);
  await bench.close();
  return { root, runtimeId, approval, plan };
}

/** The captions that this version makes in such a data root; a refusal as its code and message. */
async function producedNow(
  t: ExecutionContext,
  { root, runtimeId, approval }: Omit<Awaited<ReturnType<typeof approvedEarlier>>, 'plan'>,
  model = here.model,
) {
  const earlierTranslators = earlierIdentitiesOf({ ...here, model });
  const bench = await openCaptionBench(t, root, { classification, earlierTranslators, translator: translating(model) });
  await bench.recover();
  try {
    const { captions } = await bench.captions.produce(runtimeId, { approval });
    return captions[0];
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  } finally {
    await bench.close();
  }
}

test('the earlier configuration of a model is the one that 1.0.0 wrote', (t) => {
  t.deepEqual(translationConfiguration.parse(configurationOf100('m')), configurationOf100('m'));
  t.deepEqual(earlierIdentitiesOf(here), [identityOf100]);
});

test('bug: an approval of before was refused because its plan names the same model in the request of an earlier version', async (t) => {
  const approved = await approvedEarlier(t);
  t.like(approved.plan.executor, identityOf100);
  const produced = await producedNow(t, approved);
  t.like(produced, {
    executor: translatorIdentityOf(here),
    result: { status: 'completed', lineCount: 3, targetAvailableCount: 3 },
  });
  // The whole runtime verifies again in a new process.
  const bench = await openCaptionBench(t, approved.root, { classification, translator: translating() });
  const { captions } = await bench.reads.productions(approved.runtimeId);
  t.like(captions, [{ executor: translatorIdentityOf(here) }]);
});

test('an approval of a plan with another model or another server is refused, and the message names them', async (t) => {
  const approved = await approvedEarlier(t);
  t.is(
    await producedNow(t, approved, 'other'),
    'caption_plan_mismatch: other translates now, and the approved plan has stub',
  );
  const elsewhere = { ...configurationOf100(here.model), baseUrl: 'http://127.0.0.1:2/v1' };
  const configurationContentId = contentIdOfJson(elsewhere);
  t.is(
    await producedNow(t, await approvedEarlier(t, { ...identityOf100, configurationContentId })),
    'caption_plan_mismatch: the model stub is asked at another server, or in another way, than in the approved plan',
  );
});

/** The configuration of now for a model at a server. */
const configurationAt = (baseUrl: string): TranslationConfiguration => {
  const { responseFormat: _, limits: __, ...same } = { responseFormat: '', ...configurationOf100(here.model) };
  return translationConfiguration.parse({
    ...same,
    ...{ baseUrl, limits: translationLimits, schemaInPrompt, isStreamed: true, reasoningEffort: 'none' },
    schema: 'studio.caption-translation.configuration.v2',
    responseFormats: ['json_schema', 'json_object', 'text'],
    chatTemplateKwargs: { enable_thinking: false },
  });
};

test('captions under a plan must have asked its server and its model', async (t) => {
  const { plan } = await approvedEarlier(t);
  const { baseUrl } = here.provider;
  t.true(isConfigurationOfPlan(plan, { configuration: configurationAt(baseUrl) }));
  t.true(isConfigurationOfPlan(plan, { configuration: configurationOf100(here.model) }));
  t.false(isConfigurationOfPlan(plan, { configuration: configurationAt('http://127.0.0.1:2/v1') }));
  t.false(isConfigurationOfPlan(plan, { configuration: configurationOf100('other') }));
  t.true(isExecutorOfPlan(plan, { ...plan.executor, ...translatorIdentityOf(here) } as CaptionPlan['executor']));
  const other = { ...translatorIdentityOf(here), model: 'other' };
  t.false(isExecutorOfPlan(plan, { ...plan.executor, ...other } as CaptionPlan['executor']));
});

test('a plan of earlier rules is followed while its lines, tracks and engine are those of now', async (t) => {
  const { plan } = await approvedEarlier(t, translatorIdentityOf(here));
  const after = (change: Partial<CaptionPlan>) => otherThanPlanned({ ...plan, ...change }, plan, []);
  const rules = { ...plan.rules, alignment: plan.rules.alignment + 1 };
  t.is(after({}), null);
  t.is(after({ rules }), null);
  t.is(after({ rules, remarks: [{ code: 'speech_not_measured', params: {} }] }), null);
  const lines = { ...plan.lines, count: 2 };
  t.is(
    after({ rules, lines }),
    'this version of the program makes other lines of the study than the approved plan has',
  );
  const otherwise = 'the host gives another plan now than the approved one: an engine or a setting is another';
  t.is(after({ lines }), otherwise);
  t.is(after({ remarks: [{ code: 'speech_not_measured', params: {} }] }), otherwise);
});
