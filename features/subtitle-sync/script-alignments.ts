import type { HostCore } from '../../actors/host-feature.ts';
import { TimeSlices } from '../../actors/supervision/system-clock.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import type { Range } from '../../contract/base/grammar.ts';
import { type MadeSubtitles, mostStretches } from '../../contract/sources/derived-subtitles.ts';
import {
  type AttachedScript,
  type ScriptAlignmentProposal,
  type ScriptFields,
  scriptAlignmentRequest,
  scriptFields,
} from '../../contract/sources/script-alignment.ts';
import { subRipText } from '../../formats/subtitles.ts';
import { speechIn } from '../../receipts/captions/plan.ts';
import { transcriptOf } from '../../receipts/captions/transcript-lines.ts';
import { webVttTime } from '../../receipts/captions/webvtt.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import type { Derivation, ParentText } from '../../receipts/sources/derived-subtitles.ts';
import { ruleSets } from '../../rules/rule-sets.ts';
import type { HeardWord } from '../../rules/script-alignment.ts';
import { type ScriptLines, scriptLines } from '../../rules/script-lines.ts';
import type { Script } from '../../rules/script-text.ts';
import { timedUnits } from '../../rules/segmentation.ts';
import {
  attachedFileOf,
  attestedBytes,
  demandReviewer,
  labelOf,
  offerOf,
  type ProposedTrack,
} from './proposed-track.ts';
import { openScript } from './script-file.ts';
import { checkedQuery } from './text-requests.ts';

type AlignmentsOptions = Pick<HostCore, 'runtimes' | 'registry' | 'subtitleTracks' | 'reviewer'>;

type Query = ReadonlyMap<string, string>;

/** What a study heard. */
interface Heard {
  readonly words: readonly HeardWord[];
  readonly transcriptContentId: string;
  readonly speech: readonly Range[];
  readonly range: Range;
}

/** What may be attached of a script. */
interface Proposed extends ProposedTrack {
  readonly made: Extract<MadeSubtitles, { origin: 'aligned' }>;
  readonly proposal: ScriptAlignmentProposal;
}

/** The service that gives the lines of a script the times at which they are said, and attaches them. */
export class ScriptAlignments {
  readonly #options: AlignmentsOptions;
  readonly #slices = new TimeSlices();

  constructor(options: AlignmentsOptions) {
    this.#options = options;
  }

  /** Throws `unknown_runtime`, `runtime_deleted` and `stored_content_inconsistent`. */
  async demandRuntime(runtimeId: string): Promise<void> {
    await this.#options.runtimes.read(runtimeId);
  }

  /**
   * The lines of a script with their times, and what has none; records nothing. Throws `invalid_subtitle_request`, `unknown_runtime`,
   * `subtitle_sync_unavailable`, `subtitle_encoding_mismatch` and `invalid_script`.
   */
  async propose(runtimeId: string, query: Query, body: Uint8Array): Promise<ScriptAlignmentProposal> {
    return (await this.#proposed(runtimeId, checkedQuery(scriptFields, query), body)).proposal;
  }

  /**
   * Attaches the lines of a proposal that a person has seen, with their attestation. The same lines again are attached once. Throws as
   * `propose` and `SubtitleTracks.attach`. Throws `reviewer_identity_mismatch` for another reviewer. Throws `subtitle_fix_mismatch` if
   * the digest is not that of the proposal of now, or if no line has a time.
   */
  async attach(
    runtimeId: string,
    query: Query,
    body: Uint8Array,
  ): Promise<{ readonly isNew: boolean; readonly body: AttachedScript }> {
    const request = checkedQuery(scriptAlignmentRequest, query);
    const { reviewer, subtitleTracks } = this.#options;
    demandReviewer(this.#options, request.reviewerId);
    const { proposal, ...proposed } = await this.#proposed(runtimeId, request, body);
    const { source, parent, made } = proposed;
    const bytes = attestedBytes(proposed.bytes, proposal.digest, request.digest);
    const derivation: Derivation = { runtimeId, parent, made, attestedBy: reviewer.label };
    const statements = new Map([
      ['rightsScope', request.rightsScope],
      ['ownershipAttested', request.ownershipAttested],
      ['rightsHolder', request.rightsHolder],
      ['label', labelOf(parent, ' (timed)')],
      ['language', request.language],
      ['format', 'srt'],
    ]);
    const attached = await subtitleTracks.attach(source.session.sessionId, statements, bytes, derivation);
    const { schema: _, digest: __, attachedAs: ___, ...said } = proposal;
    const { source: row, track } = attached.body;
    return {
      isNew: attached.isNew,
      body: { schema: 'studio.script-alignment.v1', ...said, source: row, track, file: attachedFileOf(bytes) },
    };
  }

  async #proposed(runtimeId: string, asked: ScriptFields, body: Uint8Array): Promise<Proposed> {
    const { script, encoding } = openScript(body, asked.language, asked.encoding ?? null);
    const runtime = await this.#options.runtimes.read(runtimeId);
    const heard = heardIn(runtime);
    const source = runtime.source.registered;
    const { language } = asked;
    const found = await this.#slices.run(scriptLines(script, heard.words, { ...heard, language }));
    if (found.stretches.length > mostStretches) {
      throw new ServiceError('invalid_script', `the script has more than ${mostStretches} parts: divide it`);
    }
    const bytes = found.lines.length === 0 ? null : Buffer.from(subRipOf(found), 'utf8');
    const parent: ParentText = { bytes: body, label: asked.label, format: 'script', encoding, trackIndex: null };
    return this.#proposal({ runtimeId, source, parent, heard, script, found, bytes });
  }

  #proposal({ runtimeId, source, parent, heard, script, found, bytes }: Found): Proposed {
    const rules = { script: ruleSets.scriptAlignment.version };
    const { transcriptContentId, range } = heard;
    const made: Proposed['made'] = { origin: 'aligned', rules, transcriptContentId, stretches: [...found.stretches] };
    const proposed = { source, parent, made, bytes };
    const { sessionId: sourceSessionId } = source.session;
    const { parent: ofParent, digest, attachedAs } = offerOf(this.#options, runtimeId, proposed);
    return {
      ...proposed,
      proposal: {
        schema: 'studio.script-alignment-proposal.v1',
        runtimeId,
        sourceSessionId,
        range,
        parent: ofParent,
        rules,
        transcriptContentId,
        stretches: made.stretches,
        phrases: found.phrases,
        timed: found.timed,
        lines: found.lines.map(({ startMs, endMs, text }) => ({ startMs, endMs, text })),
        withheld: [...found.withheld],
        unwritten: [...found.unwritten],
        asides: script.asides.length,
        digest,
        attachedAs,
      },
    };
  }
}

/** A script whose words were looked for in what a study heard. */
interface Found extends Pick<Proposed, 'source' | 'parent' | 'bytes'> {
  readonly runtimeId: string;
  readonly heard: Heard;
  readonly script: Script;
  readonly found: ScriptLines;
}

/** What a study heard. Throws `subtitle_sync_unavailable`. */
function heardIn({ accepted, execution }: VerifiedRuntime): Heard {
  const transcript = execution === null ? null : transcriptOf(execution.study.findings);
  if (execution === null || transcript === null) {
    throw new ServiceError(
      'subtitle_sync_unavailable',
      'no words of this study are known: its speech was not recognized',
    );
  }
  // What gates withhold from captions is still heard: a weak recognizer is unsure of most words.
  const words = transcript.lines.flatMap((line) => timedUnits(line));
  return {
    words,
    transcriptContentId: transcript.contentId,
    speech: speechIn(execution.study) ?? [],
    range: accepted.record.analysisRequest.range,
  };
}

const clock = (ms: number): string => webVttTime(ms).replaceAll('.', ',');

/** The lines as SubRip. */
const subRipOf = ({ lines }: ScriptLines): string =>
  lines
    .map(({ startMs, endMs, text }, at) => `${at + 1}\n${clock(startMs)} --> ${clock(endMs)}\n${subRipText(text)}\n`)
    .join('\n');
