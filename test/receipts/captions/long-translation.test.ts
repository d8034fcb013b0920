import test from 'ava';
import {
  type CaptionTranslation,
  maximumPartAsks,
  type TranslationAsk,
  wholeTranslationLimits,
} from '../../../contract/captions/caption-translation.ts';
import { defaultCaptionAllowance } from '../../../receipts/captions/allowance.ts';
import { captionsOf } from '../../../receipts/captions/artifact.ts';
import { captionInputOf } from '../../../receipts/captions/captioned-study.ts';
import { recordCaptionsBySteps } from '../../../receipts/stages/captions.ts';
import { gatesOver, translationPromptContract } from '../../../rules/translation/plan.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { captionJob } from './captioned-studies.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const translator = { model: 'stub', promptContentId: digest, configurationContentId: digest };
const asksCount = 8 * maximumPartAsks;

test('bug: the questions of a long translation were stored and counted in one turn, again for each record', async (t) => {
  const plain = await captionJob({ version: 1, windows: 4, tracks: twoTracks }, 'subtitle_tracks_translated');
  const job = { ...plain, translator, allowance: defaultCaptionAllowance };
  const { sourceLanguage, targetLanguage } = captionInputOf(job.study);
  let read = 0;
  const asks = Array.from({ length: asksCount }, (_, at): TranslationAsk => {
    const ask = {
      ...{ lineIds: [`line-${at}`], promptContentId: digest, schemaContentId: digest, failure: null },
      ...{ identified: targetLanguage, model: 'stub', inputTokens: 1, outputTokens: 1 },
    };
    const answers = [{ lineId: `line-${at}`, source: 'text', translation: 'Text', identified: null }];
    // To write or measure a question is to read its answers.
    return Object.defineProperty(ask, 'answers', {
      enumerable: true,
      get: () => {
        read += 1;
        return answers;
      },
    }) as TranslationAsk;
  });
  const translation: CaptionTranslation = {
    ...{ schema: 'studio.caption-translation.v1', jobId: `caption-production:${'0'.repeat(64)}` },
    runId: job.study.run.record.runtimeId,
    transcript: { artifactId: `artifact:${'0'.repeat(64)}`, contentId: digest },
    ...{ translator, sourceLanguage, targetLanguage, prompt: translationPromptContract },
    configuration: {
      ...{ schema: 'studio.caption-translation.configuration.v1', baseUrl: 'http://127.0.0.1:1/v1', model: 'stub' },
      ...{ responseFormat: 'json_schema_strict', temperature: 0, tokenLimitFields: ['max_tokens'] },
      ...{ limits: wholeTranslationLimits, retries: 0, redirects: 'refused' },
    },
    ...{ asks, identifiedAlone: null, gates: gatesOver.twoAnswers },
  };
  const steps = recordCaptionsBySteps({ ...job, translation }, captionsOf(job));
  let most = 0;
  for (let isDone = false; !isDone; ) {
    read = 0;
    isDone = steps.next().done === true;
    most = Math.max(most, read);
  }
  // A part is written for its digest and for its size, and the next question measured.
  t.true(most > 0);
  t.true(most <= 3 * maximumPartAsks, `${most} questions in one step`);
});
