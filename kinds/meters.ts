import { z } from 'zod';
import type { MeteredKind } from './kind.ts';
import { passKinds } from './kinds.ts';
import type { Announcements, Meter, MeteredPart } from './meter.ts';
import type { FrameMetadata } from './pictures/frames.ts';
import type { SmallPicture } from './pictures/small-picture.ts';

/** The kinds that are measured while a film is decoded, in the order of the list. */
export const meteredKinds: readonly MeteredKind[] = passKinds.filter((kind) => 'meter' in kind);

/** The states of all meters between two windows of a pass, by the names of their kinds. */
export const meterStates = z.strictObject(Object.fromEntries(meteredKinds.map(({ name, state }) => [name, state])));
export type MeterStates = Readonly<z.infer<typeof meterStates>>;

/** Everything that measures one part of a range: a meter for each kind. */
export class Meters {
  readonly #meters: ReadonlyMap<string, Meter>;

  constructor(part: Omit<MeteredPart, 'announce'>, from: MeterStates | null = null) {
    const all: Meter[] = [];
    const announce: Announcements = {
      area: (area) => {
        for (const meter of all) meter.area?.(area);
      },
      cut: (atMs) => {
        for (const meter of all) meter.cut?.(atMs);
      },
      flash: (span) => {
        for (const meter of all) meter.flash?.(span);
      },
      truePeak: (found) => {
        for (const meter of all) meter.truePeak?.(found);
      },
    };
    const named = meteredKinds.map((kind) => {
      const meter = kind.meter({ ...part, announce }, from?.[kind.name] ?? null);
      all.push(meter);
      return [kind.name, meter] as const;
    });
    this.#meters = new Map(named);
  }

  picture(picture: SmallPicture): void {
    for (const meter of this.#meters.values()) meter.picture?.(picture);
  }

  /** A frame of the branch of a kind. */
  frame(kind: string, frame: FrameMetadata): void {
    this.#meters.get(kind)?.frame?.(frame);
  }

  /** Bytes of the branch of a kind. */
  async write(kind: string, chunk: Buffer): Promise<void> {
    await this.#meters.get(kind)?.write?.(chunk);
  }

  /** A piece of sound in one of the forms that a pass has it in. */
  sound(form: 'signals' | 'ownRate' | 'peaks', chunk: Buffer): void {
    for (const meter of this.#meters.values()) meter[form]?.(chunk);
  }

  /** The state of every meter, when nothing comes any more of this window. */
  async save(): Promise<MeterStates> {
    const states: Record<string, unknown> = {};
    for (const [name, meter] of this.#meters) states[name] = await meter.save();
    return states;
  }

  /** The range is over. */
  async end(): Promise<void> {
    for (const meter of this.#meters.values()) await meter.end?.();
  }

  /** The objects that facts name so far. */
  named(): { readonly contentId: string; readonly bytes: number }[] {
    return [...this.#meters.values()].flatMap((meter) =>
      (meter.named?.() ?? []).map(({ contentId, bytes }) => ({ contentId, bytes })),
    );
  }

  /** The facts of a kind, after the end. */
  facts(kind: string): readonly unknown[] {
    return this.#meters.get(kind)?.facts() ?? [];
  }
}
