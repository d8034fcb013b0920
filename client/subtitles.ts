import type { AttachedScript, ScriptAlignmentProposal } from '../contract/sources/script-alignment.ts';
import type { AttachedSubtitleTrack, SubtitleTrackList } from '../contract/sources/source-session.ts';
import type { SubtitleFix, SubtitleFixProposal } from '../contract/sources/subtitle-fix.ts';
import type { SubtitleFormat } from '../contract/sources/subtitle-track.ts';
import { type Media, mediaAsBlob } from './ingests.ts';
import { encodedPath, type Transport } from './transport.ts';

/** The statements of a person about a subtitle file, and the person's attestation. */
export interface SubtitleOptions {
  readonly rightsHolder: string;
  /** That the person may process this file; the host takes no other word. */
  readonly ownershipAttested: true;
  /** The label of the track; by default the name of the file. */
  readonly label?: string;
  /** The language of the text (BCP 47); without it each study identifies it. */
  readonly language?: string;
  /** The format; without it the first lines of the file say it. */
  readonly format?: SubtitleFormat;
  /** The encoding by a name of the Encoding Standard; UTF-8 without it. */
  readonly encoding?: string;
  readonly signal?: AbortSignal;
}

/** Subtitles that are compared with the speech of a study: a text track of it, or a file. */
export type FixedSubtitles =
  | { readonly track: number }
  | {
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly label: string;
      readonly language?: string;
      readonly encoding?: string;
    };

/** The proposal that a person has seen, and what they attest. `rightsHolder` is needed for a file. */
export interface SubtitleFixOptions {
  readonly digest: string;
  readonly reviewerId: string;
  /** The text that the reviewer attests, word for word. */
  readonly attestation: string;
  readonly rightsHolder?: string;
}

/** A script of plain text, what it is called, and its language (BCP 47). */
export interface ScriptText {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly label: string;
  readonly language: string;
  readonly encoding?: string;
}

/** The proposal that a person has seen, and what they attest. */
export interface ScriptOptions {
  readonly digest: string;
  readonly reviewerId: string;
  /** The text that the reviewer attests, word for word. */
  readonly attestation: string;
  readonly rightsHolder: string;
}

const tracksOf = (sourceSessionId: string): string =>
  encodedPath`/v1/source-sessions/${sourceSessionId}/subtitle-tracks`;

/** The subtitle files that are attached to sources. */
export class Subtitles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Attaches a subtitle file to a source, which gets a new revision; the answer names it, for the studies that follow. The same
   * file under the same words is attached once, so that the call is repeated while no host answers.
   */
  async attach(sourceSessionId: string, file: Media, options: SubtitleOptions): Promise<AttachedSubtitleTrack> {
    const { rightsHolder, language, format, encoding, signal } = options;
    const { blob, filename } = await mediaAsBlob(file);
    const label = options.label ?? filename;
    if (label === null) throw new TypeError('the subtitle file has no name: give label');
    const query = new URLSearchParams({
      rightsScope: 'local_processing',
      ownershipAttested: 'true',
      rightsHolder,
      label,
      ...(language !== undefined && { language }),
      ...(format !== undefined && { format }),
      ...(encoding !== undefined && { encoding }),
    });
    return this.#transport.json(`${tracksOf(sourceSessionId)}?${query}`, {
      method: 'POST',
      body: blob.slice(0, blob.size, 'application/octet-stream'),
      repeatable: true,
      signal,
    });
  }

  /**
   * Compares subtitles with the speech of a study: the verdict for each stretch, and what a fix would move. Nothing is recorded, and
   * the call is repeated while no host answers.
   */
  async proposeFix(runtimeId: string, subtitles: FixedSubtitles, signal?: AbortSignal): Promise<SubtitleFixProposal> {
    return this.#fixes('subtitle-fix-proposals', runtimeId, subtitles, {}, signal);
  }

  /** Attaches the subtitles of a proposal that a person has seen. The same fix is attached once. */
  async fix(
    runtimeId: string,
    subtitles: FixedSubtitles,
    { digest, reviewerId, attestation, rightsHolder }: SubtitleFixOptions,
    signal?: AbortSignal,
  ): Promise<SubtitleFix> {
    const rights =
      rightsHolder === undefined ? {} : { rightsHolder, rightsScope: 'local_processing', ownershipAttested: 'true' };
    return this.#fixes('subtitle-fixes', runtimeId, subtitles, { digest, reviewerId, attestation, ...rights }, signal);
  }

  #fixes<Answer>(
    path: string,
    runtimeId: string,
    subtitles: FixedSubtitles,
    further: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { bytes, ...named } = 'track' in subtitles ? { bytes: null, track: String(subtitles.track) } : subtitles;
    const query = new URLSearchParams({ ...named, ...further });
    const body = bytes === null ? {} : { body: new Blob([bytes], { type: 'application/octet-stream' }) };
    return this.#transport.json(`${encodedPath`/v1/runtimes/${runtimeId}`}/${path}?${query}`, {
      method: 'POST',
      ...body,
      repeatable: true,
      signal,
    });
  }

  /** The lines of a script with the times at which a study heard them, and what has none. Nothing is recorded. */
  proposeScript(runtimeId: string, script: ScriptText, signal?: AbortSignal): Promise<ScriptAlignmentProposal> {
    return this.#scripts('script-alignment-proposals', runtimeId, script, {}, signal);
  }

  /** Attaches the lines of a proposal that a person has seen. The same lines are attached once. */
  alignScript(
    runtimeId: string,
    script: ScriptText,
    options: ScriptOptions,
    signal?: AbortSignal,
  ): Promise<AttachedScript> {
    const rights = { rightsScope: 'local_processing', ownershipAttested: 'true' };
    return this.#scripts('script-alignments', runtimeId, script, { ...options, ...rights }, signal);
  }

  #scripts<Answer>(
    path: string,
    runtimeId: string,
    { bytes, ...named }: ScriptText,
    further: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const query = new URLSearchParams({ ...named, ...further });
    return this.#transport.json(`${encodedPath`/v1/runtimes/${runtimeId}`}/${path}?${query}`, {
      method: 'POST',
      body: new Blob([bytes], { type: 'application/octet-stream' }),
      repeatable: true,
      signal,
    });
  }

  /** The files that are attached to the current revision of a source. */
  list(sourceSessionId: string): Promise<SubtitleTrackList> {
    return this.#transport.json(tracksOf(sourceSessionId));
  }

  /** Takes a file off a source; answers with those that are left. */
  detach(sourceSessionId: string, trackIndex: number): Promise<SubtitleTrackList> {
    return this.#transport.json(`${tracksOf(sourceSessionId)}/${trackIndex}`, { method: 'DELETE' });
  }
}
