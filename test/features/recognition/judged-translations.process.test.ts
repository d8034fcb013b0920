import test, { type ExecutionContext } from 'ava';
import { TranslationAsker } from '../../../actors/captions/translation-asker.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import type { CaptionArtifact } from '../../../contract/captions/caption-production.ts';
import {
  type CaptionTranslation,
  type TranslationAsk,
  type TranslationConfiguration,
  wholeTranslationLimits,
} from '../../../contract/captions/caption-translation.ts';
import type { HostedChat } from '../../../executors/model-server/hosted-chat.ts';
import { stubTranscriber, transcribes } from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { speechFile } from '../../../fixtures/speech/gold.ts';
import { contentIdOfJson } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { type CaptionJob, captionsOf, resultOf } from '../../../receipts/captions/artifact.ts';
import { captionInputOf } from '../../../receipts/captions/captioned-study.ts';
import { judgedCaptions, reopenTranslation } from '../../../receipts/captions/judged-captions.ts';
import { wholeCaptionsOf } from '../../../receipts/captions/stored-captions.ts';
import { transcriptToTranslate } from '../../../receipts/captions/transcript-lines.ts';
import { storedTranslation, translationOf } from '../../../receipts/captions/translation.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { approvedStudyOf, publishedCaptionsOf } from '../../../receipts/published/captions.ts';
import { captionStarted } from '../../../receipts/stages/captions.ts';
import { gatesOver, translationPromptContract } from '../../../rules/translation/plan.ts';
import { approveCaptions, newRoot, openClientHost } from '../../actors/client-host.ts';
import { type OpenedStore, openStore } from '../../actors/reopening/stored-studies.ts';
import { recordCaptions } from '../../receipts/captions/recorded-captions.ts';
import { contentOf } from '../../receipts/core/stored-content-in-memory.ts';

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

const configuration = {
  schema: 'studio.caption-translation.configuration.v1',
  baseUrl: 'http://127.0.0.1/v1',
  model: 'stub',
  responseFormat: 'json_schema_strict',
  temperature: 0,
  tokenLimitFields: ['max_tokens'],
  limits: wholeTranslationLimits,
  retries: 0,
  redirects: 'refused',
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
  const text = resultOfSteps(transcriptToTranslate(job.study));
  if (text === null) throw new Error('there is something to translate');
  const { sourceLanguage, targetLanguage } = captionInputOf(job.study);
  const wanted = { lines: text.lines, sourceLanguage, targetLanguage };
  const asker = new TranslationAsker({ chat: by, detector, gates: gatesOver.twoAnswers });
  const answered = await asker.answers(wanted, new AbortController().signal);
  const record = { prompt: translationPromptContract, configuration, ...answered };
  return { ...job, translation: resultOfSteps(translationOf(job, record)) };
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

/** The attempt that a host makes of the approved study. */
async function jobOf({ store, runtimeId }: Approved, language: keyof typeof executors): Promise<CaptionJob> {
  const runtime = await new VerifiedRuntimes(store).read(runtimeId);
  const authority = runtime.execution?.study.tail.authority ?? null;
  const study = authority === null ? null : approvedStudyOf(runtime, authority);
  if (study === null) throw new Error('the study is approved');
  const job: CaptionJob = { study, attempt: 0, ...executors[language] };
  return job.translator === undefined ? job : translated(job);
}

/** The same of a study whose transcript older gates judged. */
function ofOlderGates(job: CaptionJob): CaptionJob {
  const { findings } = job.study;
  const { recognition } = findings;
  if (recognition === null || recognition.found === null) throw new Error('there is a transcript');
  const found = { ...recognition.found, parameters: { ...recognition.found.parameters, gates: 1 } };
  return { ...job, study: { ...job.study, findings: { ...findings, recognition: { ...recognition, found } } } };
}

/** Reopens a translation as it is stored, for an attempt. */
function reopenedFor(job: CaptionJob, translation: CaptionTranslation) {
  const { object } = storedTranslation.outputOf(job.study.run, translation);
  const content = contentOf(new Map([[object.contentId, object.bytes]]));
  const context = { content, report: () => undefined, pause: () => undefined };
  return reopenTranslation(context, { ...job, translator: translation.translator }, object.contentId);
}

test('captions in Thai are cut between syllables, and a host that stored them finds them again', async (t) => {
  const approved = await approvedIn(t, 'th');
  const { store, runtimeId } = approved;
  const job = await jobOf(approved, 'th');
  const made = captionsOf(job);
  t.true(wholeCaptionsOf(made).lines[0]?.source.text?.includes('ออกจากบ้าน'));
  const { objects, events } = recordCaptions(job);
  await store.objectStore.putAll(objects);
  await store.ledger.commit([{ append: runtimeId, events: [captionStarted(job), ...events] }]);
  const [published] = publishedCaptionsOf(await new VerifiedRuntimes(store).read(runtimeId));
  t.deepEqual(published?.caption.artifact.body, made);
});

type Forged = (translation: CaptionTranslation) => Partial<CaptionTranslation>;

const firstAsk =
  (change: (ask: TranslationAsk) => Partial<TranslationAsk>): Forged =>
  ({ asks }) => ({ asks: asks.map((ask, at) => (at === 0 ? { ...ask, ...change(ask) } : ask)) });

const otherPrompt = { ...translationPromptContract, system: 'Say that it was agreed.' };

/** Defects that every version of the gates rejects, and the stage at which each fails. */
const malformed: Readonly<Record<string, readonly [Forged, string]>> = {
  'other words than the model was asked with': [
    ({ translator }) => ({
      prompt: otherPrompt,
      translator: { ...translator, promptContentId: contentIdOfJson(otherPrompt) },
    }),
    'prompt',
  ],
  'a question that failed and was answered': [firstAsk(() => ({ failure: 'invalid_output: no JSON' })), 'answers'],
  'a line with two answers': [firstAsk(({ answers }) => ({ answers: [...answers, ...answers] })), 'answers'],
};

/** Defects that the present gates reject. */
const unasked: Readonly<Record<string, readonly [Forged, string]>> = {
  'the gates of a version before that of its transcript': [() => ({ gates: 3 }), 'gates'],
  'a question less than its answers lead to': [({ asks }) => ({ asks: asks.slice(1) }), 'asks'],
};

test('a translation is judged again by the present gates, and checked for its form where it names older ones', async (t) => {
  const approved = await approvedIn(t, 'de');
  const job = await jobOf(approved, 'de');
  const { translation } = job;
  if (translation === undefined) throw new Error('a model was asked');
  t.like((await reopenedFor(job, translation)).judgement, { rules: { version: 7 }, check: 'judged_again' });
  for (const [title, [forge, place]] of Object.entries({ ...malformed, ...unasked })) {
    const forged = reopenedFor(job, { ...translation, ...forge(translation) });
    const error = await t.throwsAsync(forged, { instanceOf: EvidenceChainError }, title);
    t.true(error?.place.includes(place), `${title}: ${error?.place}`);
  }

  const older = ofOlderGates(job);
  const before = { ...translation, gates: 3 } as const;
  const { judgement, job: known } = await reopenedFor(older, before);
  const stated = { rules: { name: 'translation gates', version: 3 }, present: 7, check: 'form_checked' } as const;
  t.deepEqual(judgement, stated);
  for (const [title, [forge, place]] of Object.entries(malformed)) {
    const forged = reopenedFor(older, { ...before, ...forge(before) });
    const error = await t.throwsAsync(forged, { instanceOf: EvidenceChainError }, title);
    t.true(error?.place.includes(place), `${title}: ${error?.place}`);
  }

  // Its captions cannot be derived: the verdicts on their lines are those of the older gates.
  const captions = captionsOf(job);
  const body = { ...captions, lines: [], result: resultOf([]) } as unknown as CaptionArtifact;
  const begun = { job: known, executor: captions.executor };
  const kept = { contentId: contentIdOfJson(captions), bytes: 0, body: captions };
  t.deepEqual(await judgedCaptions(kept, begun, judgement, () => undefined), stated);
  await t.throwsAsync(
    judgedCaptions({ ...kept, body: { ...body, result: captions.result } }, begun, judgement, () => undefined),
  );
});

test('a translation of nothing but empty answers identifies no language', async (t) => {
  const approved = await approvedIn(t, 'de');
  const job = await jobOf(approved, 'de');
  const { translation: empty } = await translated(job, chatOf(''));
  if (empty === undefined) throw new Error('a model was asked');
  await t.notThrowsAsync(reopenedFor(job, empty));
  t.like(await t.throwsAsync(reopenedFor(job, { ...empty, identifiedAlone: 'de' })), { place: 'identifiedAlone' });
});
