import type { FurtherKind } from '../contract/evidence/evidence.ts';
import type { KeyframeFact } from '../contract/evidence/evidence-object.ts';
import type { RuntimeEvidence } from '../contract/study/runtime-evidence.ts';
import { encodedPath, type Transport } from './transport.ts';

/** A sound for drawing: the lowest and the highest sample (16 bits) of each window; window `n` begins `n` × `windowMs` after `startMs`. */
export interface Waveform {
  readonly startMs: number;
  readonly windowMs: number;
  readonly lowest: Int16Array;
  readonly highest: Int16Array;
}

const HEADER_BYTES = 20;

/**
 * Reads the object of a waveform, which has the format of audiowaveform (version 1, 16 bits). Throws `TypeError` for bytes of
 * another form.
 */
export function waveformOf(startMs: number, bytes: ArrayBuffer): Waveform {
  const view = new DataView(bytes);
  if (view.byteLength < HEADER_BYTES) throw otherForm();
  const [version, flags, rate, samples, windows] = [0, 4, 8, 12, 16].map((at) => view.getUint32(at, true));
  if (version !== 1 || flags !== 0 || !rate || !samples || windows === undefined) throw otherForm();
  if (view.byteLength !== HEADER_BYTES + windows * 4) throw otherForm();
  const value = (place: number) => view.getInt16(HEADER_BYTES + place * 2, true);
  return {
    startMs,
    windowMs: (samples * 1000) / rate,
    lowest: Int16Array.from({ length: windows }, (_none, window) => value(window * 2)),
    highest: Int16Array.from({ length: windows }, (_none, window) => value(window * 2 + 1)),
  };
}

const otherForm = () => new TypeError('the object is not a waveform in the form that this client reads');

/** The objects that the facts of a study name: pictures and measurements. */
export class EvidenceObjects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The bytes of an object under the content id that a fact has, of the media type that the host says. */
  async read(runtimeId: string, contentId: string, signal?: AbortSignal): Promise<Blob> {
    const path = encodedPath`/v1/runtimes/${runtimeId}/evidence/objects/${contentId}`;
    const answer = await this.#transport.answer(path, { accept: '*/*', signal });
    return answer.blob();
  }

  /** The keyframes of a study in the order of time; empty if it has no pictures. `read` gives the JPEG of each. */
  async keyframes(runtimeId: string, signal?: AbortSignal): Promise<readonly KeyframeFact[]> {
    const facts = await this.#factsOf(runtimeId, 'keyframes', signal);
    return facts.filter((fact) => fact.kind === 'keyframe');
  }

  /** The waveform of a study; null if it has no sound. */
  async waveform(runtimeId: string, signal?: AbortSignal): Promise<Waveform | null> {
    const fact = (await this.#factsOf(runtimeId, 'waveform', signal)).find(({ kind }) => kind === 'waveform');
    if (fact?.kind !== 'waveform') return null;
    const object = await this.read(runtimeId, fact.contentId, signal);
    return waveformOf(fact.startMs, await object.arrayBuffer());
  }

  async #factsOf(runtimeId: string, kind: FurtherKind, signal?: AbortSignal) {
    const path = encodedPath`/v1/runtimes/${runtimeId}/evidence`;
    const { evidence } = await this.#transport.json<RuntimeEvidence>(`${path}?kind=${kind}`, { signal });
    return evidence.flatMap((row): Facts => row.facts);
  }
}

type Facts = RuntimeEvidence['evidence'][number]['facts'][number][];
