/** The size of the largest subtitle file. */
const most = 1024 * 1024;

interface SubtitleSample {
  readonly what: string;
  readonly format: 'srt' | 'webvtt' | 'ass';
  readonly bytes: Uint8Array;
}

const clock = (ms: number, fraction: string, digits: number): string => {
  const whole = new Date(ms).toISOString();
  return `${whole.slice(11, 19)}${fraction}${whole.slice(20, 20 + digits)}`;
};

/** A head, and events or cues of one text, as many as a file of the largest size has. */
function filled(head: string, eventOf: (at: number) => string): Buffer {
  let text = head;
  for (let at = 0; ; at += 1) {
    const event = eventOf(at);
    if (text.length + event.length > most) return Buffer.from(text, 'utf8');
    text += event;
  }
}

const assHead = '[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\n';
const eventsHead = '\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n';
const styleOf = (at: number): string => `Style: style${at},Arial,20\n`;

/** How each format writes a head and a cue. */
const forms = {
  srt: {
    head: '',
    cueOf: (at: number, from: number, to: number, text: string) =>
      `${at + 1}\n${clock(from, ',', 3)} --> ${clock(to, ',', 3)}\n${text}\n\n`,
  },
  webvtt: {
    head: 'WEBVTT\n\n',
    cueOf: (_at: number, from: number, to: number, text: string) =>
      `${clock(from, '.', 3)} --> ${clock(to, '.', 3)}\n${text}\n\n`,
  },
  ass: {
    head: `${assHead}Style: Default,Arial,20\n${eventsHead}`,
    cueOf: (_at: number, from: number, to: number, text: string) =>
      `Dialogue: 0,${clock(from, '.', 2).slice(1)},${clock(to, '.', 2).slice(1)},Default,,0,0,0,,${text}\n`,
  },
} as const;

/** Subtitle files of the largest size with odd contents. Some are refused, and have to be read for that as well. */
export function* largeSubtitleFiles(): Generator<SubtitleSample> {
  for (const format of ['srt', 'webvtt', 'ass'] as const) {
    const { head, cueOf } = forms[format];
    const [open, close] = format === 'ass' ? ['{\\i1}', '{\\i0}'] : ['<i>', '</i>'];
    const deep = `${open.repeat(400)}a${close.repeat(400)}`;
    const samples: Readonly<Record<string, Uint8Array>> = {
      'tiny cues': filled(head, (at) => cueOf(at, 100 * at, 100 * at + 100, 'a')),
      'overlapping cues': filled(head, (at) => cueOf(at, 0, 30_000_000, `line ${at}`)),
      'deep tags': filled(head, (at) => cueOf(at, 100 * at, 100 * at + 100, deep)),
      'one line': Buffer.from(`${head}${cueOf(0, 0, 1000, 'a'.repeat(most - 400))}`),
      'one line of tags': Buffer.from(`${head}${cueOf(0, 0, 1000, open.repeat((most - 400) / open.length))}`),
      'one line that opens tags': Buffer.from(`${head}${cueOf(0, 0, 1000, open.slice(0, 1).repeat(most - 400))}`),
      'empty lines': Buffer.from(`${head}${'\n'.repeat(most - head.length)}`),
      'arrows alone': filled(head, () => '-->\n'),
      'carriage returns': Buffer.from(
        filled(head, (at) => cueOf(at, 100 * at, 100 * at + 100, 'a'))
          .toString()
          .replaceAll('\n', '\r'),
      ),
    };
    for (const [what, bytes] of Object.entries(samples)) yield { what, format, bytes };
  }
  const styles = filled(assHead, styleOf)
    .subarray(0, most - 400)
    .toString();
  const event = forms.ass.cueOf(0, 0, 1000, 'a');
  yield {
    ...{ what: 'styles', format: 'ass' },
    bytes: Buffer.from(`${styles.slice(0, styles.lastIndexOf('\n') + 1)}${eventsHead}${event}`),
  };
}
