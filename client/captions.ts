import type {
  CaptionChunkAnswer,
  CaptionMethodList,
  CaptionProductionResults,
  CaptionProductions,
  CaptionQualityControls,
  QualityControlRow,
} from '../contract/captions/caption-answers.ts';
import type { RequestedMethod } from '../contract/captions/caption-method.ts';
import type { CaptionPlanAnswer } from '../contract/captions/caption-plan.ts';
import type {
  AskedChange,
  CaptionCorrectionPreview,
  CaptionCorrections,
  CaptionForm,
  CorrectionPreviewRequest,
} from '../contract/captions/correction.ts';
import { maximumCorrectionChanges } from '../contract/captions/correction-limits.ts';
import type { CaptionGuidelines } from '../contract/captions/guideline-report.ts';
import type { CaptionQualityReports } from '../contract/captions/quality-control.ts';
import type { ExplanationRequest, LanguageExplanationList } from '../contract/explanations/explanation.ts';
import { HostError, NothingYet } from './host-error.ts';
import type { Attested, Reviews } from './reviews.ts';
import { encodedPath, type Given, pause, queryOf, type Transport } from './transport.ts';

/** The question of an explanation; the client names the captions of the study. */
export type ExplanationQuestion = Given<Omit<ExplanationRequest, 'caption'>>;

/** The attestation of a correction, and the lines that it starts from; by default those that the host has now. */
export interface WrittenBy {
  readonly by: Attested;
  readonly note?: string | null | undefined;
  readonly on?: Pick<CaptionCorrections, 'head'> | undefined;
}

/** A body of a request has 64 KiB; the texts of this many bytes leave room for the rest. */
const mostTextBytes = 40_000;

/** Changes in as many parts as requests have room for, in their order. */
export function correctionParts(changes: readonly AskedChange[]): readonly (readonly AskedChange[])[] {
  const parts: AskedChange[][] = [];
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const change of changes) {
    const size = encoder.encode(JSON.stringify(change)).length;
    const last = parts.at(-1);
    bytes += size;
    if (last !== undefined && last.length < maximumCorrectionChanges && bytes <= mostTextBytes) last.push(change);
    else {
      parts.push([change]);
      bytes = size;
    }
  }
  return parts;
}

/** The choices of a caption plan; what is left out, the host chooses. */
export interface PlanChoices {
  readonly from?: string;
  readonly to?: string;
  readonly method?: RequestedMethod;
  /** Stream indexes of text tracks, one for each side at most. */
  readonly tracks?: readonly number[];
}

type CaptionRow = CaptionProductions['captions'][number];

const pollMs = 250;

/** Captions of approved studies, their checks, and explanations of their lines. */
export class Captions {
  readonly #transport: Transport;
  readonly #reviews: Reviews;

  constructor(transport: Transport, reviews: Reviews) {
    this.#transport = transport;
    this.#reviews = reviews;
  }

  /** The ways to captions of a study, and what each takes. */
  methods(runtimeId: string): Promise<CaptionMethodList> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/caption-methods`);
  }

  /**
   * The plan of the captions of a study: their lines and where they come from. `digest` is what `reviews.decide` names as its `plan`. Throws `HostError` as a production by
   * this method does, and `invalid_caption_plan_request` for a choice that the study does not have.
   */
  plan(runtimeId: string, { tracks = [], ...choices }: PlanChoices = {}): Promise<CaptionPlanAnswer> {
    const track = tracks.length === 0 ? undefined : tracks.join(',');
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-plan`;
    return this.#transport.json(`${path}${queryOf({ ...choices, track })}`);
  }

  /**
   * Makes captions under the valid approval; resolves once they are stored. `method` names the way to make them, or `auto` for the first
   * that is ready; without it the caption executor of the host makes them.
   */
  async produce(
    runtimeId: string,
    { method }: { readonly method?: RequestedMethod } = {},
  ): Promise<CaptionProductions> {
    const approval = await this.#reviews.approval(runtimeId);
    const json = method === undefined ? { approval } : { approval, method };
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-productions`;
    return this.#transport.json(path, { method: 'POST', json, isLong: true });
  }

  /** The captions of a study with every line; an empty list where there are none. */
  results(runtimeId: string): Promise<CaptionProductionResults> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/caption-production-results`);
  }

  /** Lines of long captions in the records in which they are stored, from the index 0 on. Throws `NothingYet` for a study without captions. */
  async chunk(runtimeId: string, index: number): Promise<CaptionChunkAnswer> {
    const { jobId } = await this.#only(runtimeId);
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-productions/${jobId}/chunks/${String(index)}`;
    return this.#transport.json(path);
  }

  qualityControls(runtimeId: string): Promise<CaptionQualityControls> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/caption-quality-controls`);
  }

  /** The captions of a study measured against guidelines for subtitles. */
  qualityReports(runtimeId: string): Promise<CaptionQualityReports> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/caption-quality-reports`);
  }

  /** A file of captions held against guidelines: the same form gives the same cues as an export. */
  guidelines(runtimeId: string, form: Partial<CaptionForm> = {}): Promise<CaptionGuidelines> {
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-guidelines`;
    return this.#transport.json(`${path}${queryOf({ ...form })}`);
  }

  /**
   * The check of a study's captions, once it is decided. It asks for a missing check: one that could not be written down before
   * rests until then. Throws `NothingYet` for a study without captions, and `HostError` `internal_failure` if the check cannot be
   * written down now either.
   */
  async checked(runtimeId: string, signal?: AbortSignal): Promise<QualityControlRow> {
    const caption = await this.#only(runtimeId);
    for (;;) {
      const known = (await this.qualityControls(runtimeId)).qualityControls;
      const [control] = known.length > 0 ? known : await this.#check(runtimeId, caption, signal);
      if (control !== undefined) return control;
      await pause(pollMs, signal);
    }
  }

  /** Asks for the check of captions; nothing is found while it is under way, or where it was decided in the meantime. */
  async #check(runtimeId: string, caption: CaptionRow, signal?: AbortSignal): Promise<readonly QualityControlRow[]> {
    const { jobId, captionArtifactId, captionContentId, receiptId, receiptContentId } = caption;
    const candidate = {
      jobId,
      captionArtifactId,
      captionContentId,
      captionReceiptId: receiptId,
      captionReceiptContentId: receiptContentId,
    };
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-quality-controls`;
    try {
      // A second request finds the check of the first.
      const call = { method: 'POST', json: { candidate }, isLong: true, repeatable: true, signal } as const;
      return (await this.#transport.json<CaptionQualityControls>(path, call)).qualityControls;
    } catch (error) {
      if (error instanceof HostError && error.code === 'illegal_caption_qc_transition') return [];
      throw error;
    }
  }

  /** Accepted captions as WebVTT. Throws `NothingYet` for a study without captions. */
  async webvtt(runtimeId: string, side: 'source' | 'target'): Promise<string> {
    const { jobId } = await this.#only(runtimeId);
    return this.#transport.text(
      `${encodedPath`/v1/runtimes/${runtimeId}/caption-productions/${jobId}`}.vtt?side=${side}`,
    );
  }

  /**
   * The lines of a study as they are and as the host made them, with every correction by a person. `method` selects the lines of one way
   * before captions are made, and `plan` those of the caption plan with this digest.
   */
  corrections(
    runtimeId: string,
    { method, plan }: { readonly method?: RequestedMethod; readonly plan?: string } = {},
  ): Promise<CaptionCorrections> {
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-corrections`;
    return this.#transport.json(`${path}${queryOf({ method, plan })}`);
  }

  /**
   * The lines after a correction, with its check and the findings of guidelines; nothing is written. An aborted `signal` ends the
   * request.
   */
  correctionPreview(
    runtimeId: string,
    json: Given<CorrectionPreviewRequest>,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<CaptionCorrectionPreview> {
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-correction-previews`;
    return this.#transport.json(path, { method: 'POST', json, repeatable: true, ...options });
  }

  /**
   * Writes a correction on the lines that `on` says. A request whose answer was lost is sent again, and writes nothing twice. Throws
   * `HostError` `caption_correction_conflict` if the lines were changed since, and `NothingYet` for a study without lines. More changes
   * than one request has room for become several corrections: if one of them is refused, those before it are written.
   */
  async correct(
    runtimeId: string,
    correction: { readonly changes: readonly AskedChange[] } | { readonly reverts: string },
    { by, note = null, on }: WrittenBy,
  ): Promise<CaptionCorrections> {
    if ('reverts' in correction) return this.#correct(runtimeId, correction, { by, note, on });
    const [first = [], ...others] = correctionParts(correction.changes);
    let answer = await this.#correct(runtimeId, { changes: first }, { by, note, on });
    for (const changes of others) answer = await this.#correct(runtimeId, { changes }, { by, note, on: answer });
    return answer;
  }

  async #correct(runtimeId: string, correction: object, { by, note, on }: WrittenBy): Promise<CaptionCorrections> {
    const { head } = on ?? (await this.corrections(runtimeId));
    if (head === null) throw new NothingYet('the study has no lines to correct', 'read its corrections for the reason');
    const reviewer = { id: by.reviewerId, attestation: by.attestation };
    const json = { clientRequestId: crypto.randomUUID(), head, reviewer, note, ...correction };
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-corrections`;
    return this.#transport.json(path, { method: 'POST', json, repeatable: true });
  }

  /** Asks for an explanation of a part of a line. Throws `NothingYet` for a study without captions. */
  async explain(runtimeId: string, question: ExplanationQuestion): Promise<LanguageExplanationList> {
    const { jobId, captionArtifactId, captionContentId, receiptArtifactId, receiptId, receiptContentId } =
      await this.#only(runtimeId);
    const caption = {
      jobId,
      artifactId: captionArtifactId,
      contentId: captionContentId,
      receiptArtifactId,
      receiptId,
      receiptContentId,
    };
    const path = encodedPath`/v1/runtimes/${runtimeId}/language-explanations`;
    return this.#transport.json(path, { method: 'POST', json: { caption, ...question }, isLong: true });
  }

  explanations(runtimeId: string): Promise<LanguageExplanationList> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/language-explanations`);
  }

  async #only(runtimeId: string): Promise<CaptionRow> {
    const path = encodedPath`/v1/runtimes/${runtimeId}/caption-productions`;
    const [caption] = (await this.#transport.json<CaptionProductions>(path)).captions;
    if (caption === undefined) throw new NothingYet('the study has no captions', 'make them under an approval');
    return caption;
  }
}
