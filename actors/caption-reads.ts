import type {
  CaptionProductionResults,
  CaptionProductions,
  CaptionQualityControls,
} from '../contract/caption-answers.ts';
import { publishedCaptionsOf, publishedQualityControlsOf } from '../receipts/published-captions.ts';
import { runtimeListOf } from '../receipts/runtime-list.ts';
import type { VerifiedRuntimes } from './verified-runtimes.ts';

/**
 * The service behind reads of captions and of their checks. Every answer rests on a runtime that was reopened as a whole;
 * all throw `unknown_runtime` and `stored_content_inconsistent`.
 */
export class CaptionReads {
  readonly #runtimes: VerifiedRuntimes;

  constructor(runtimes: VerifiedRuntimes) {
    this.#runtimes = runtimes;
  }

  async productions(runtimeId: string): Promise<CaptionProductions> {
    const runtime = await this.#runtimes.read(runtimeId);
    return {
      schema: 'studio.local-runtime-caption-productions.v1',
      ...runtimeListOf(runtime),
      captions: publishedCaptionsOf(runtime).map(({ row }) => row),
    };
  }

  async results(runtimeId: string): Promise<CaptionProductionResults> {
    const runtime = await this.#runtimes.read(runtimeId);
    return {
      schema: 'studio.local-runtime-caption-production-results.v1',
      ...runtimeListOf(runtime),
      results: publishedCaptionsOf(runtime).map(({ row, caption }) => ({
        verification: row,
        artifact: caption.artifact.body,
      })),
    };
  }

  async qualityControls(runtimeId: string): Promise<CaptionQualityControls> {
    const runtime = await this.#runtimes.read(runtimeId);
    return {
      schema: 'studio.local-runtime-caption-quality-controls.v1',
      ...runtimeListOf(runtime),
      qualityControls: publishedQualityControlsOf(runtime),
    };
  }
}
