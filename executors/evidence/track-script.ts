import { StringDecoder } from 'node:string_decoder';
import type { Range } from '../../contract/base/grammar.ts';
import type { TextStyle } from '../../contract/captions/styled-text.ts';

/** A style of an ASS or SSA script, as far as captions can show it. */
export interface ScriptStyle {
  readonly styles: readonly TextStyle[];
  /** As on a number pad. */
  readonly alignment: number;
}

/** ffmpeg's names of the formats that state more than the packets of a codec have: styles by name, or the settings of a cue. */
const scriptFormats: ReadonlyMap<string, 'ass' | 'webvtt'> = new Map([
  ['ass', 'ass'],
  ['ssa', 'ass'],
  ['webvtt', 'webvtt'],
]);

/** The longest line that is read, and the most styles or cues. */
const LONGEST_LINE = 4096;
const MOST_ENTRIES = 200_000;

/** The alignments of SSA: 1 to 3 are below, 4 more those above, 8 more those in the middle. */
const SSA_ROWS: Readonly<Record<number, number>> = { 0: 0, 4: 6, 8: 3 };

/** The place on a number pad of an alignment of SSA, or of `\a`; null for another number. */
export function alignmentOfSsa(legacy: number): number | null {
  const row = SSA_ROWS[legacy & 12];
  const column = legacy & 3;
  return row === undefined || column === 0 ? null : row + column;
}

const styleWords: readonly (readonly [field: string, style: TextStyle])[] = [
  ['italic', 'italic'],
  ['bold', 'bold'],
  ['underline', 'underline'],
];

const usualAlignment = 2;

function alignmentOf(text: string | undefined, isSsa: boolean): number {
  const stated = Number(text);
  const found = isSsa ? alignmentOfSsa(stated) : stated;
  return found !== null && Number.isInteger(found) && found >= 1 && found <= 9 ? found : usualAlignment;
}

const timesOfCue = /^(?:(\d{2,}):)?(\d{2}):(\d{2})\.(\d{3}) --> (?:(\d{2,}):)?(\d{2}):(\d{2})\.(\d{3})(?: (.*))?$/;

const millisecondsOf = (hours = '0', minutes = '0', seconds = '0', ms = '0'): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);

const spanName = ({ startMs, endMs }: Range): string => `${startMs} ${endMs}`;

/** The script of a text track as ffmpeg writes it again: what it states beside the packets. Of a script without any, nothing. */
export class TrackScript {
  readonly #decoder = new StringDecoder('utf8');
  readonly #isAss: boolean;
  #line = '';
  #section = '';
  #fields: readonly string[] = [];
  #styles = new Map<string, ScriptStyle>();
  #settings = new Map<string, string[]>();
  #entries = 0;

  constructor(format: 'ass' | 'webvtt') {
    this.#isAss = format === 'ass';
  }

  add(chunk: Buffer): void {
    const lines = (this.#line + this.#decoder.write(chunk)).split('\n');
    // Of a longer line nothing is read.
    this.#line = lines.pop()?.slice(0, LONGEST_LINE) ?? '';
    for (const line of lines) if (line.length < LONGEST_LINE) this.#take(line.replace(/\r$/, ''));
  }

  end(): void {
    this.add(Buffer.from('\n'));
  }

  /** The style of an event; as in players, that of the name `Default` if there is no other. */
  styleNamed(name: string): ScriptStyle | undefined {
    return this.#styles.get(name.replace(/^\*/, '').trim()) ?? this.#styles.get('Default');
  }

  /** The settings of a cue of WebVTT: of those of its time the nth, counted from 0. */
  settingsOf(span: Range, nth: number): string {
    return this.#settings.get(spanName(span))?.[nth] ?? '';
  }

  #take(line: string): void {
    if (this.#entries >= MOST_ENTRIES) return;
    if (this.#isAss) this.#takeStyle(line);
    else this.#takeTimes(line);
  }

  #takeStyle(line: string): void {
    if (/^\[.*\]\s*$/.test(line)) this.#section = line.trim().toLowerCase();
    if (!/^\[v4\+? styles\]$/.test(this.#section)) return;
    const [, key = '', rest = ''] = /^(format|style)\s*:(.*)$/i.exec(line) ?? [];
    const values = rest.split(',').map((value) => value.trim());
    if (key.toLowerCase() === 'format') this.#fields = values.map((name) => name.toLowerCase());
    if (key.toLowerCase() !== 'style') return;
    const stating = (field: string): string | undefined => values[this.#fields.indexOf(field)];
    const name = stating('name')?.replace(/^\*/, '').trim();
    if (name === undefined) return;
    this.#entries += 1;
    const isSsa = this.#section === '[v4 styles]';
    this.#styles.set(name, {
      // -1 is true; of the weights of some writers, those of bold text.
      styles: styleWords
        .filter(([field]) => ['-1', '1'].includes(stating(field) ?? '') || Number(stating(field)) > 400)
        .map(([, style]) => style),
      alignment: alignmentOf(stating('alignment'), isSsa),
    });
  }

  #takeTimes(line: string): void {
    const [, h1, m1, s1, ms1, h2, m2, s2, ms2, settings] = timesOfCue.exec(line) ?? [];
    if (m1 === undefined) return;
    this.#entries += 1;
    const name = spanName({ startMs: millisecondsOf(h1, m1, s1, ms1), endMs: millisecondsOf(h2, m2, s2, ms2) });
    const known = this.#settings.get(name);
    if (known === undefined) this.#settings.set(name, [settings ?? '']);
    else known.push(settings ?? '');
  }
}

/** The script of a codec, and the words by which ffmpeg writes it; null for a codec whose packets state everything. */
export function scriptReaderOf(
  codec: string,
): { readonly script: TrackScript; readonly format: readonly string[] } | null {
  const format = scriptFormats.get(codec);
  if (format === undefined) return null;
  // Times stay those of the packets.
  return { script: new TrackScript(format), format: ['-avoid_negative_ts', 'disabled', '-f', format] };
}
