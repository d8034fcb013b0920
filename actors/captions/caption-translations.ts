import type { CaptionTranslator } from '../../contract/captions/caption-line.ts';
import {
  type CaptionTranslation,
  type TranslationConfiguration,
  translationLimits,
} from '../../contract/captions/caption-translation.ts';
import { tokenLimitFieldsOf } from '../../executors/explanations/hosted-chat.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { CaptionFailure, type CaptionJob, captionsOf } from '../../receipts/captions/artifact.ts';
import { isOneLanguage, translationWorkOf } from '../../receipts/captions/transcript-lines.ts';
import { translationOf } from '../../receipts/captions/translation.ts';
import { fatalFailure, translationPromptContract } from '../../rules/translation/plan.ts';
import { TranslationAsker, type TranslationAskerOptions } from './translation-asks.ts';

export interface CaptionTranslationsOptions extends TranslationAskerOptions {
  readonly provider: HostedProvider;
  readonly model: string;
}

const configurationOf = (provider: HostedProvider, model: string): TranslationConfiguration => ({
  schema: 'studio.caption-translation.configuration.v1',
  baseUrl: provider.baseUrl,
  model,
  responseFormat: 'json_schema_strict',
  temperature: 0,
  tokenLimitFields: tokenLimitFieldsOf(provider),
  limits: translationLimits,
  retries: 0,
  redirects: 'refused',
});

/** Has the lines of captions translated by a model, and keeps every question and answer. */
export class CaptionTranslations {
  readonly #asker: TranslationAsker;
  readonly #configuration: TranslationConfiguration;
  readonly identity: CaptionTranslator;

  constructor(options: CaptionTranslationsOptions) {
    const { provider, model } = options;
    this.#asker = new TranslationAsker(options);
    this.#configuration = configurationOf(provider, model);
    this.identity = {
      model,
      promptContentId: contentIdOfJson(translationPromptContract),
      configurationContentId: contentIdOfJson(this.#configuration),
    };
  }

  /**
   * A job with its translation; as it is where both sides are one language. Rejects with `CaptionFailure` where not one line
   * passed the gates: captions without a translation would use up an approval for nothing.
   */
  async translated(job: CaptionJob, signal: AbortSignal): Promise<CaptionJob> {
    if (job.translator === undefined || isOneLanguage(job.study)) return job;
    const { lines, sourceLanguage, targetLanguage } = translationWorkOf(job.study, { asks: [], identifiedAlone: null });
    const answered = await this.#asker.answers({ lines, sourceLanguage, targetLanguage }, signal);
    const record = { prompt: translationPromptContract, configuration: this.#configuration, ...answered };
    const done = { ...job, translation: translationOf(job, record) };
    this.#demandLines(done, answered.asks);
    return done;
  }

  #demandLines(job: CaptionJob, asks: CaptionTranslation['asks']): void {
    const { lines, result } = captionsOf(job);
    if (result.targetAvailableCount > 0) return;
    const reasons = [...new Set(lines.flatMap(({ target }) => target.reasonCode ?? []))].join(', ');
    const failure = fatalFailure({ asks });
    throw new CaptionFailure('translator', failure ?? `no line passed the gates: ${reasons}`);
  }
}
