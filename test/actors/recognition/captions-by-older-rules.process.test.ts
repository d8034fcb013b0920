import test, { type ExecutionContext } from 'ava';
import { TranslationAsker } from '../../../actors/captions/caption-translations.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import {
  type CaptionTranslation,
  type TranslationAsk,
  type TranslationConfiguration,
  translationGates,
  translationLimits,
} from '../../../contract/captions/caption-translation.ts';
import type { HostedChat } from '../../../executors/explanations/hosted-chat.ts';
import { stubTranscriber, transcribes } from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { speechFile } from '../../../fixtures/speech/gold.ts';
import { contentIdOfJson } from '../../../formats/canonical-json.ts';
import { type CaptionJob, captionsOf } from '../../../receipts/captions/artifact.ts';
import { wholeCaptionsOf } from '../../../receipts/captions/stored-captions.ts';
import { transcriptToTranslate, translationWorkOf } from '../../../receipts/captions/transcript-lines.ts';
import { checkTranslation, translationOf } from '../../../receipts/captions/translation.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { approvedStudyOf, publishedCaptionsOf } from '../../../receipts/published/captions.ts';
import { captionStarted, recordCaptions } from '../../../receipts/stages/captions.ts';
import { type CaptionRules, captionRules } from '../../../rules/segmentation.ts';
import { translationPromptContract } from '../../../rules/translation/plan.ts';
import { approveCaptions, newRoot, openClientHost } from '../client-host.ts';
import { type OpenedStore, openStore } from '../reopening/stored-studies.ts';

const thai = ['เขาลืมปิดประตูก่อนออกจากบ้านไปทำงานเมื่อเช้านี้', 'เมื่อวานนี้เราต้องยกกล่อง', 'ผู้คนย้ายไปเมืองใหญ่ด้วยหลายเหตุผล'];

interface Approved {
  readonly store: OpenedStore;
  readonly runtimeId: string;
}

/** A data root with an approved study of speech in Thai, whose captions are to be in a language, without a host. */
async function approvedIn(t: ExecutionContext, targetLanguage: string): Promise<Approved> {
  const root = await newRoot(t);
  let asked = 0;
  const server = await stubTranscriber((response, region) => {
    const end = asked === 0 ? 3.4 : 2.7;
    const segment = { text: thai[asked++], start: 0.1, end, avg_logprob: -0.1, compression_ratio: 0.9 };
    transcribes({ language: 'thai', segments: [{ ...segment, no_speech_prob: 0.01 }] })(response, region);
  });
  t.teardown(server.close);
  const flags = ['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small'];
  const { host, client } = await openClientHost(t, root, {
    flags: [...flags, '--allow-real-semantic-evidence'],
    environment: { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: '' },
  });
  const source = await client.ingestFile(speechFile, { label: 's', rightsHolder: 'nobody', ownershipAttested: true });
  const request = { targetLanguage, requestedSourceLanguage: spokenLanguage('th') };
  const { runtimeId } = await client.study(source, request).ended();
  await approveCaptions(client, runtimeId);
  await host.stop();
  const store = await openStore(root);
  t.teardown(() => store.close());
  return { store, runtimeId };
}

const secondRules: CaptionRules = { joinsReads: true, judgesLanguages: true, keepsSyllables: false };

const configuration = {
  schema: 'studio.caption-translation.configuration.v1',
  ...{ baseUrl: 'http://127.0.0.1/v1', model: 'stub', responseFormat: 'json_schema_strict', temperature: 0 },
  ...{ tokenLimitFields: ['max_tokens'], limits: translationLimits, retries: 0, redirects: 'refused' },
} as const satisfies TranslationConfiguration;

/** Says the same of every line. */
const chatOf = (translation: string): HostedChat => ({
  async ask({ user }) {
    const { lines } = JSON.parse(user) as { lines: Readonly<Record<string, string>> };
    const answers = Object.entries(lines).map(([id, source]) => [id, { source, translation }]);
    const text = JSON.stringify({ lines: Object.fromEntries(answers) });
    return { text, responseId: null, model: null, inputTokens: null, outputTokens: null };
  },
});

const chat = chatOf('Gestern mussten wir alle Kisten ins Haus tragen.');

const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

/** A job with the answers of a model to the questions that follow from it. */
async function translated(job: CaptionJob, by: HostedChat = chat): Promise<CaptionJob> {
  const text = transcriptToTranslate(job.study);
  if (text === null) throw new Error('there is something to translate');
  const wanted = translationWorkOf(job.study, text, { asks: [], identifiedAlone: null });
  const asker = new TranslationAsker({ chat: by, detector, gates: translationGates });
  const answered = await asker.answers(wanted, new AbortController().signal);
  return { ...job, translation: translationOf(job, { prompt: translationPromptContract, configuration, ...answered }) };
}

const executors = {
  th: { classification: 'recognised_transcript' },
  de: {
    classification: 'recognised_transcript_translated',
    translator: {
      model: 'stub',
      promptContentId: contentIdOfJson(translationPromptContract),
      configurationContentId: contentIdOfJson(configuration),
    },
  },
} as const;

/** The captions that a host makes which has no newer rules than these. */
async function madeBy(rules: CaptionRules, { store, runtimeId }: Approved, language: keyof typeof executors) {
  const runtime = await new VerifiedRuntimes(store).read(runtimeId);
  const authority = runtime.execution?.study.tail.authority ?? null;
  const study = authority === null ? null : approvedStudyOf(runtime, authority);
  if (study === null) throw new Error('the study is approved');
  const job: CaptionJob = { study: { ...study, rules }, attempt: 0, ...executors[language] };
  return job.translator === undefined ? job : translated(job);
}

/** Stores captions as the host that made them, and reopens them. */
async function reopened(job: CaptionJob, { store, runtimeId }: Approved) {
  const { objects, events } = recordCaptions(job);
  await store.objectStore.putAll(objects);
  await store.ledger.commit([{ append: runtimeId, events: [captionStarted(job), ...events] }]);
  return new VerifiedRuntimes(store).read(runtimeId);
}

for (const language of ['th', 'de'] as const) {
  test(`captions in '${language}' of Thai that was cut within syllables verify`, async (t) => {
    const approved = await approvedIn(t, language);
    const job = await madeBy(secondRules, approved, language);
    const made = captionsOf(job);
    t.true(wholeCaptionsOf(made).lines[0]?.source.text?.includes('ออกจา\nกบ้าน'));
    const [published] = publishedCaptionsOf(await reopened(job, approved));
    t.deepEqual(published?.caption.artifact.body, made);
  });
}

test('questions that follow by no rules are damage', async (t) => {
  const approved = await approvedIn(t, 'de');
  const job = await madeBy(secondRules, approved, 'de');
  if (job.translation === undefined) throw new Error('a model was asked');
  const asks = job.translation.asks.slice(1);
  const damaged = reopened({ ...job, translation: { ...job.translation, asks } }, approved);
  await t.throwsAsync(damaged, {
    instanceOf: EvidenceChainError,
    message: /the caption_translation sha256:\S+ fails at: asks/,
  });
});

type Forged = (translation: CaptionTranslation) => Partial<CaptionTranslation>;

const firstAsk =
  (change: (ask: TranslationAsk) => Partial<TranslationAsk>): Forged =>
  ({ asks }) => ({ asks: asks.map((ask, at) => (at === 0 ? { ...ask, ...change(ask) } : ask)) });

const otherPrompt = { ...translationPromptContract, system: 'Say that it was agreed.' };

const forgeries: Readonly<Record<string, readonly [Forged, string]>> = {
  'other words than the model was asked with': [
    ({ translator }) => ({
      prompt: otherPrompt,
      translator: { ...translator, promptContentId: contentIdOfJson(otherPrompt) },
    }),
    'prompt',
  ],
  'a question that failed and was answered': [firstAsk(() => ({ failure: 'invalid_output: no JSON' })), 'answers'],
  'a line with two answers': [firstAsk(({ answers }) => ({ answers: [...answers, ...answers] })), 'answers'],
  'the gates of a version before that of its transcript': [() => ({ gates: 3 }), 'gates'],
};

test('a translation is damage whose questions, answers and gates contradict each other', async (t) => {
  const approved = await approvedIn(t, 'de');
  const job = await madeBy(captionRules, approved, 'de');
  const { translation } = job;
  if (translation === undefined) throw new Error('a model was asked');
  t.notThrows(() => checkTranslation(translation, job));
  for (const [title, [forge, place]] of Object.entries(forgeries)) {
    const forged = { ...translation, ...forge(translation) };
    const by = { ...job, translator: forged.translator };
    const error = t.throws(() => checkTranslation(forged, by), { instanceOf: EvidenceChainError }, title);
    t.true(error?.place.includes(place), `${title}: ${error?.place}`);
  }
  const { translation: empty } = await translated(job, chatOf(''));
  if (empty === undefined) throw new Error('a model was asked');
  t.notThrows(() => checkTranslation(empty, job));
  t.like(
    t.throws(() => checkTranslation({ ...empty, identifiedAlone: 'de' }, job)),
    { place: 'identifiedAlone' },
  );
});
