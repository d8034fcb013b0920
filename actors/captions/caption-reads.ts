import { ServiceError } from '../../contract/base/errors.ts';
import type {
  CaptionChunkAnswer,
  CaptionProductionResults,
  CaptionProductions,
  CaptionQualityControls,
} from '../../contract/captions/caption-answers.ts';
import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import type { CaptionQualityReports } from '../../contract/captions/quality-control.ts';
import { chunkOf } from '../../receipts/captions/stored-captions.ts';
import { webVttOf } from '../../receipts/captions/webvtt.ts';
import {
  acceptedCaptionsOf,
  publishedCaptionReportsOf,
  publishedCaptionsOf,
  publishedQualityControlsOf,
} from '../../receipts/published/captions.ts';
import { runtimeListOf } from '../../receipts/published/runtime.ts';
import type { VerifiedRuntimes } from '../reopening/verified-runtimes.ts';

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

  /**
   * Some lines of long captions, in the records in which they are stored. Throws `not_found` for a production that is not of this
   * runtime or is stored in one record, and for a chunk that it does not have.
   */
  async chunk(runtimeId: string, jobId: string, index: number): Promise<CaptionChunkAnswer> {
    const runtime = await this.#runtimes.read(runtimeId);
    const published = publishedCaptionsOf(runtime).find(({ row }) => row.jobId === jobId);
    const found = published === undefined ? null : chunkOf(published.caption.artifact.body, index);
    if (found === null) throw new ServiceError('not_found', 'this runtime has no such chunk of captions');
    return { schema: 'studio.local-runtime-caption-chunk.v1', ...runtimeListOf(runtime), ...found };
  }

  async qualityControls(runtimeId: string): Promise<CaptionQualityControls> {
    const runtime = await this.#runtimes.read(runtimeId);
    return {
      schema: 'studio.local-runtime-caption-quality-controls.v1',
      ...runtimeListOf(runtime),
      qualityControls: publishedQualityControlsOf(runtime),
    };
  }

  /** Measurements of the captions, computed anew from what is stored. */
  async qualityReports(runtimeId: string): Promise<CaptionQualityReports> {
    return publishedCaptionReportsOf(await this.#runtimes.read(runtimeId));
  }

  /**
   * One side of accepted captions as a WebVTT file. Throws `not_found` for a production that is not of this runtime,
   * `illegal_caption_qc_transition` while no check has accepted it, and `caption_authority_required` once its approval was
   * withdrawn.
   */
  async webVtt(runtimeId: string, jobId: string, side: CaptionSide): Promise<string> {
    return webVttOf(acceptedCaptionsOf(await this.#runtimes.read(runtimeId), jobId), side);
  }
}
