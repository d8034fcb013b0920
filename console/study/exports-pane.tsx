import { useState } from 'preact/hooks';
import type { EditRate, ExportName } from '../../contract/exports.ts';
import { useHost } from '../host/session.ts';
import { useDeed } from '../host/use-remote.ts';
import { Field } from '../parts/field.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { saveFile } from '../parts/save-file.ts';
import { sentence, withoutCode, withoutNo } from '../words/codes.ts';
import { languageName } from '../words/language-name.ts';
import { size } from '../words/numbers.ts';
import type { StudyContents } from './study-model.ts';

interface Offered {
  readonly name: ExportName;
  readonly words: string;
  readonly option: 'rate' | 'side' | null;
  /** The kind of evidence that the file is made of; studies that never looked for it have no such file. */
  readonly of?: 'transcript' | 'screen_text';
}

const offered: readonly Offered[] = [
  { name: 'facts.csv', words: 'every fact with its times and evidence, for spreadsheets', option: null },
  { name: 'cuts.otio', words: 'cuts for editors that read OpenTimelineIO', option: null },
  { name: 'cuts.edl', words: 'cuts as an edit decision list (CMX 3600)', option: 'rate' },
  { name: 'chapters.vtt', words: 'chapters for web players', option: null },
  { name: 'chapters.ffmetadata', words: 'chapters for ffmpeg', option: null },
  { name: 'labels.txt', words: 'labels for Audacity', option: null },
  { name: 'captions.vtt', words: 'accepted captions for the web', option: 'side' },
  { name: 'captions.srt', words: 'accepted captions for most players', option: 'side' },
  { name: 'captions.ass', words: 'accepted captions with styles', option: 'side' },
  { name: 'transcript.vtt', words: 'recognised speech for the web', option: null, of: 'transcript' },
  { name: 'transcript.srt', words: 'recognised speech for most players', option: null, of: 'transcript' },
  { name: 'transcript.labels.txt', words: 'recognised speech as labels for Audacity', option: null, of: 'transcript' },
  { name: 'transcript.csv', words: 'recognised speech for spreadsheets', option: null, of: 'transcript' },
  {
    name: 'screen-text.labels.txt',
    words: 'text on the screen as labels for Audacity',
    option: null,
    of: 'screen_text',
  },
  { name: 'screen-text.csv', words: 'text on the screen for spreadsheets', option: null, of: 'screen_text' },
];

/** Why a file cannot be had of this study; null where it can. */
function whyNot(
  { option, of }: Offered,
  { overview: { situation, captions, check, findings } }: StudyContents,
): string | null {
  if (option === 'side' && situation.code !== 'captions_accepted') {
    return captions.state === 'done' ? withoutNo(check.text) : captions.text;
  }
  const absent = findings.find(({ kind, state }) => kind === of && state !== 'available');
  return absent === undefined ? null : withoutCode(absent.text, absent.reasonCode);
}

const rates: readonly EditRate[] = ['23.976', '24', '25', '29.97', '30', '50', '59.94', '60'];

/** The study as files for other programs. */
export function ExportsPane({ study, runtimeId }: { readonly study: StudyContents; readonly runtimeId: string }) {
  const [rate, setRate] = useState<EditRate>('25');
  const [side, setSide] = useState('target');
  const host = useHost();
  const { findings, study: asked } = study.overview;
  if (study.overview.lifecycle !== 'terminal') {
    const hasEnded = study.overview.study.reason !== null;
    return hasEnded ? (
      <Notice kind="unavailable" title="There are no files of this study">
        It ended before it had its findings. Study the range again.
      </Notice>
    ) : (
      <Notice kind="not-yet" title="There are no files yet">
        They can be had when the study has ended.
      </Notice>
    );
  }
  return (
    <>
      <div class="filters">
        <Field label="Frames a second of the edit decision list">
          {(id) => (
            <select id={id} value={rate} onChange={({ currentTarget }) => setRate(currentTarget.value as EditRate)}>
              {rates.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Side of captions">
          {(id) => (
            <select id={id} value={side} onChange={({ currentTarget }) => setSide(currentTarget.value)}>
              <option value="target">{`Captions: ${languageName(asked.targetLanguage)}`}</option>
              <option value="source">What is spoken</option>
            </select>
          )}
        </Field>
      </div>
      <ul class="rows">
        {offered
          .filter(({ of }) => of === undefined || findings.some(({ kind }) => kind === of))
          .map((file) => (
            <ExportRow
              key={file.name}
              name={file.name}
              words={file.words}
              whyNot={whyNot(file, study)}
              read={async () => {
                const { option } = file;
                const options = option === 'rate' ? { rate } : option === 'side' ? { side } : {};
                return new Blob([await host.export(runtimeId, file.name, options)]);
              }}
            />
          ))}
        <ExportRow
          name="study.tar"
          words="the study as a signed bundle, which “media-study verify” and “Open a file” check without this host"
          whyNot={null}
          read={async () => new Response(await host.bundle(runtimeId)).blob()}
        />
      </ul>
    </>
  );
}

interface ExportRowProps {
  readonly name: string;
  readonly words: string;
  /** Why there is no such file; null where there is one. */
  readonly whyNot: string | null;
  readonly read: () => Promise<Blob>;
}

function ExportRow({ name, words, whyNot, read }: ExportRowProps) {
  const { deed, run } = useDeed();
  const [bytes, setBytes] = useState<number | null>(null);
  const download = () =>
    run(async () => {
      const blob = await read();
      setBytes(blob.size);
      saveFile(blob, name);
    });
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-title mono">{name}</p>
        <p class="quiet">{words}</p>
        {deed.state === 'failed' && <Failed error={deed.error} />}
      </div>
      {bytes !== null && <span class="quiet">{size(bytes)} downloaded</span>}
      {whyNot === null ? (
        <button type="button" disabled={deed.state === 'busy'} onClick={download}>
          Download<span class="sr"> {name}</span>
        </button>
      ) : (
        <span class="quiet">{sentence(whyNot)}</span>
      )}
    </li>
  );
}
