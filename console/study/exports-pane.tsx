import { useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import type { LineBreaks, ShownSides } from '../../contract/captions/caption-line.ts';
import { presentBreaks } from '../../contract/captions/line-breaks.ts';
import type { EditRate, ExportName } from '../../contract/exports.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useAction } from '../host/use-remote.ts';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { saveFile } from '../parts/save-file.ts';
import { causeWords, whatWords } from '../words/cause-words.ts';
import { languageName } from '../words/language-name.ts';
import { counted, size } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { unsavedChanges } from './caption-draft.ts';
import type { StudyContents } from './study-model.ts';

type Group = 'Captions' | 'Transcript' | 'Editing' | 'Data';

interface Offered {
  readonly name: ExportName;
  readonly group: Group;
  readonly words: string;
  readonly option: 'rate' | 'side' | null;
  /** The kind of evidence that the file is made of; a study that did not look for it has no such file. */
  readonly of?: 'transcript' | 'screen_text';
}

const groups: readonly Group[] = ['Captions', 'Transcript', 'Editing', 'Data'];

const offered: readonly Offered[] = [
  { name: 'captions.srt', group: 'Captions', words: 'for most players and sites', option: 'side' },
  { name: 'captions.vtt', group: 'Captions', words: 'for the web', option: 'side' },
  { name: 'captions.ass', group: 'Captions', words: 'with styles, for Aegisub', option: 'side' },
  {
    name: 'transcript.srt',
    group: 'Transcript',
    words: 'what was said, for most players',
    option: null,
    of: 'transcript',
  },
  { name: 'transcript.vtt', group: 'Transcript', words: 'what was said, for the web', option: null, of: 'transcript' },
  { name: 'transcript.csv', group: 'Transcript', words: 'what was said, as a table', option: null, of: 'transcript' },
  {
    ...{ name: 'transcript.labels.txt', group: 'Transcript', words: 'what was said, as labels for Audacity' },
    ...{ option: null, of: 'transcript' },
  },
  { name: 'cuts.otio', group: 'Editing', words: 'cuts, for editors that read OpenTimelineIO', option: 'rate' },
  { name: 'cuts.edl', group: 'Editing', words: 'cuts, as an edit decision list (CMX 3600)', option: 'rate' },
  { name: 'chapters.vtt', group: 'Editing', words: 'chapters, for web players', option: null },
  { name: 'chapters.ffmetadata', group: 'Editing', words: 'chapters, for ffmpeg', option: null },
  { name: 'labels.txt', group: 'Editing', words: 'speech, silence and cuts, as labels for Audacity', option: null },
  {
    ...{ name: 'screen-text.labels.txt', group: 'Editing', words: 'text on the screen, as labels for Audacity' },
    ...{ option: null, of: 'screen_text' },
  },
  { name: 'facts.csv', group: 'Data', words: 'every fact with its times and evidence, as a table', option: null },
  { name: 'screen-text.csv', group: 'Data', words: 'text on the screen, as a table', option: null, of: 'screen_text' },
];

/** A file that a study can be had as, and why it cannot; null if it can. */
interface ExportState {
  readonly file: Offered;
  readonly whyNot: string | null;
}

/** Every file of a study in the order in which people look for them, with why it cannot be had. */
export function exportStates(overview: RuntimeOverview): readonly ExportState[] {
  const { situation, captions, check, findings } = overview;
  const whyNot = ({ option, of }: Offered): string | null => {
    if (option === 'side' && situation.code !== 'captions_accepted') {
      const { causes, text } = captions.state === 'done' ? check : captions;
      return causes.length === 0 ? text : causeWords(causes);
    }
    if (of === undefined) return null;
    const finding = findings.find(({ kind }) => kind === of);
    if (finding === undefined)
      return of === 'transcript'
        ? 'no speech was recognized in this study'
        : 'text on the screen was not read in this study';
    return finding.state === 'available' ? null : finding.cause === null ? finding.text : whatWords([finding.cause]);
  };
  return offered.map((file) => ({ file, whyNot: whyNot(file) }));
}

/** The longest name of a film in a file name, in bytes: file systems allow 255, and the language and the ending follow it. */
const longestStem = 200;

/** The name of a film as part of a file name: without what file systems refuse. */
function fileStem(label: string): string {
  const stem = label.replaceAll(/[/\\:*?"<>|\p{Cc}\s]+/gu, ' ').trim();
  const room = new Uint8Array(longestStem);
  // Only whole characters are written.
  const { read } = new TextEncoder().encodeInto(stem, room);
  return stem.slice(0, read).trim() || 'captions';
}

/** The name under which an export is saved: that of the film before its own; captions have their language in the place of a name. */
export const savedName = (
  { source, study }: Pick<RuntimeOverview, 'source' | 'study'>,
  name: ExportName | 'study.tar',
  side: ShownSides,
): string => {
  const [, ending] = /^captions\.(.+)$/.exec(name) ?? [];
  const spoken = study.sourceLanguage.languages[0] ?? 'spoken';
  const language = { target: study.targetLanguage, source: spoken, both: `${spoken}-${study.targetLanguage}` }[side];
  return `${fileStem(source.label)}.${ending === undefined ? name : `${language}.${ending}`}`;
};

/** The name under which captions are saved: the film and the language. */
export const captionsName = ({ source, study }: Pick<RuntimeOverview, 'source' | 'study'>): string =>
  `${fileStem(source.label)}.${study.targetLanguage}.srt`;

/** Saves accepted captions as SubRip, with the rows of `media-study caption`. */
export async function saveCaptions(host: StudyHost, overview: RuntimeOverview): Promise<void> {
  const bytes = await host.export(overview.runtimeId, 'captions.srt', { side: 'target', lines: presentBreaks });
  saveFile(new Blob([bytes]), captionsName(overview));
}

const rates: readonly EditRate[] = ['23.976', '24', '25', '29.97', '30', '50', '59.94', '60'];

/** The study as files for other programs. */
export function ExportsPane({ study, runtimeId }: { readonly study: StudyContents; readonly runtimeId: string }) {
  const [rate, setRate] = useState<EditRate | ''>('');
  const [side, setSide] = useState<ShownSides>('target');
  const [lines, setLines] = useState<LineBreaks>(presentBreaks);
  const host = useHost();
  const { study: asked } = study.overview;
  if (study.overview.lifecycle !== 'terminal') {
    const hasEnded = study.overview.study.reason !== null;
    return hasEnded ? (
      <Notice kind="unavailable" title="There are no files of this study">
        It ended before it found anything. Study the range again.
      </Notice>
    ) : (
      <Notice kind="not-yet" title="There are no files yet">
        They are ready when the study has ended.
      </Notice>
    );
  }
  const isOneLanguage = asked.sourceLanguage.languages[0] === asked.targetLanguage;
  const states = exportStates(study.overview);
  const read =
    ({ name, option }: Offered) =>
    async () => {
      const options = option === 'rate' ? { ...(rate !== '' && { rate }) } : option === 'side' ? { side, lines } : {};
      return new Blob([await host.export(runtimeId, name, options)]);
    };
  const unsaved = unsavedChanges({ runtimeId });
  const absent = states.filter(({ whyNot }) => whyNot !== null);
  return (
    <div class="exports">
      {groups.map((group) => {
        const files = states.filter(({ file, whyNot }) => file.group === group && whyNot === null);
        if (files.length === 0 && group !== 'Data') return null;
        return (
          <section key={group} aria-labelledby={`exports-${group}`}>
            <div class="exports-head">
              <h2 id={`exports-${group}`}>{group}</h2>
              {group === 'Captions' && (
                <>
                  {!isOneLanguage && (
                    <Field label="Language">
                      {(id) => (
                        <select
                          id={id}
                          value={side}
                          onChange={({ currentTarget }) => setSide(currentTarget.value as ShownSides)}
                        >
                          <option value="target">{languageName(asked.targetLanguage)}</option>
                          <option value="source">As spoken</option>
                          <option value="both">Both</option>
                        </select>
                      )}
                    </Field>
                  )}
                  <Field label="Line breaks">
                    {(id) => (
                      <select
                        id={id}
                        value={lines}
                        onChange={({ currentTarget }) => setLines(currentTarget.value as LineBreaks)}
                      >
                        <option value={presentBreaks}>Netflix</option>
                        <option value="author">As written</option>
                      </select>
                    )}
                  </Field>
                </>
              )}
              {group === 'Editing' && (
                <Field label="Frames of cuts">
                  {(id) => (
                    <select
                      id={id}
                      value={rate}
                      onChange={({ currentTarget }) => setRate(currentTarget.value as EditRate | '')}
                    >
                      <option value="">Those of the film</option>
                      {rates.map((each) => (
                        <option key={each}>{each}</option>
                      ))}
                    </select>
                  )}
                </Field>
              )}
            </div>
            {group === 'Captions' && unsaved > 0 && (
              <Notice kind="not-yet" title={`${counted(unsaved, 'unsaved change')} in Captions`}>
                <p>These files would not have {unsaved === 1 ? 'it' : 'them'}. Save first, or undo there.</p>
                <a class="button" href={addressOf({ view: 'study', runtimeId, pane: 'captions' })}>
                  Open the captions
                </a>
              </Notice>
            )}
            <ul class="rows tight">
              {files.map(({ file }) => (
                <ExportRow
                  key={file.name}
                  name={file.name}
                  savedAs={savedName(study.overview, file.name, side)}
                  words={file.words}
                  read={read(file)}
                  isOff={group === 'Captions' && unsaved > 0}
                />
              ))}
              {group === 'Data' && (
                <ExportRow
                  name="study.tar"
                  savedAs={savedName(study.overview, 'study.tar', side)}
                  words="the whole study, signed, to keep or to check elsewhere"
                  read={async () => new Response(await host.bundle(runtimeId)).blob()}
                />
              )}
            </ul>
          </section>
        );
      })}
      {absent.length > 0 && (
        <section aria-labelledby="exports-absent">
          <h2 id="exports-absent">Not available</h2>
          <ul class="plain lined">
            {[...new Set(absent.map(({ whyNot }) => whyNot))].map((reason) => (
              <li key={reason}>
                <span class="line-name mono">
                  {absent
                    .filter(({ whyNot }) => whyNot === reason)
                    .map(({ file }) => file.name)
                    .join(', ')}
                </span>
                <span class="quiet">{sentence(reason ?? '')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

interface ExportRowProps {
  readonly name: string;
  /** The name of the file, with that of the film. */
  readonly savedAs: string;
  readonly words: string;
  readonly read: () => Promise<Blob>;
  readonly isOff?: boolean;
}

function ExportRow({ name, savedAs, words, read, isOff = false }: ExportRowProps) {
  const { action, run } = useAction();
  const [bytes, setBytes] = useState<number | null>(null);
  const download = () =>
    run(async () => {
      const blob = await read();
      setBytes(blob.size);
      saveFile(blob, savedAs);
    });
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-title mono" title={savedAs}>
          {savedAs}
        </p>
        <p class="quiet">{words}</p>
        {action.state === 'failed' && <Failed error={action.error} />}
      </div>
      {bytes !== null && <span class="quiet">{size(bytes)} downloaded</span>}
      <button type="button" disabled={isOff || action.state === 'busy'} onClick={download}>
        <Icon name="download" />
        Download<span class="sr"> {name}</span>
      </button>
    </li>
  );
}
