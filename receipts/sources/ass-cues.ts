import type { Steps } from '../../formats/steps.ts';
import { cueOf, faultyLine, msOf, type WrittenCue, withoutReturn } from './subtitle-cues.ts';
import { linesOf, linesOfStep } from './text-lines.ts';

/** The fields of an event in the one order that ffmpeg reads. */
const assFields = /^(?:layer|marked),start,end,style,(?:name|actor),marginl,marginr,marginv,effect,text$/;
const assTime = '(\\d{1,4}):([0-5]\\d):([0-5]\\d)[.](\\d{2})';
const assEvent = new RegExp(`^Dialogue: *[^,]*,${assTime},${assTime},((?:[^,]*,){6}.*)$`);

/** The events of an ASS or SSA file that show something. Throws `invalid_subtitle_file`. */
export function* assCues(file: string): Steps<WrittenCue[]> {
  const cues: WrittenCue[] = [];
  let section = '';
  let isOrdered = false;
  for (const { line, text: whole } of linesOf(file)) {
    if (line % linesOfStep === 0) yield;
    const text = withoutReturn(whole);
    if (/^\[.*\]\s*$/.test(text)) section = text.trim().toLowerCase();
    if (section === '[events]' && /^format:/i.test(text)) {
      isOrdered = assFields.test(text.slice('format:'.length).replaceAll(/\s/g, '').toLowerCase());
      if (!isOrdered) throw faultyLine(line, 'the fields of events stand in an order that is not read');
    }
    if (!/^\s*dialogue\s*:/i.test(text)) continue;
    if (section !== '[events]' || !isOrdered) throw faultyLine(line, 'a Format line of [Events] is needed above');
    const [, h1 = '', m1 = '', s1 = '', cs1 = '', h2 = '', m2 = '', s2 = '', cs2 = '', rest] =
      assEvent.exec(text) ?? [];
    if (rest === undefined) {
      throw faultyLine(line, 'an event is needed, such as Dialogue: 0,0:01:02.34,0:01:04.00,Default,,0,0,0,,Text');
    }
    cues.push(cueOf(line, msOf(h1, m1, s1, 10 * Number(cs1)), msOf(h2, m2, s2, 10 * Number(cs2)), rest));
  }
  return cues;
}
