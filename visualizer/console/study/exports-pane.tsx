import { useState } from 'preact/hooks';
import type { EditRate, ExportName } from '../../../contract/exports/export-name.ts';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { Field } from '../parts/field.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { saveFile } from '../parts/save-file.ts';
import { sentence } from '../words/codes.ts';
import { size } from '../words/sizes.ts';
import type { Study } from './study-model.ts';

interface Offered {
  readonly name: ExportName;
  readonly words: string;
  readonly option: 'rate' | 'side' | null;
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
];

const rates: readonly EditRate[] = ['24', '25', '30', '50', '60'];

/** The study as files for other programs. */
export function ExportsPane({ study, runtimeId }: { readonly study: Study; readonly runtimeId: string }) {
  const [rate, setRate] = useState<EditRate>('25');
  const [side, setSide] = useState('target');
  const { captions, check, situation } = study.overview;
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
  const whyNoCaptions = captions.state === 'done' ? check.text : captions.text;
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
              <option value="target">{`target (${study.overview.study.targetLanguage})`}</option>
              <option value="source">source</option>
            </select>
          )}
        </Field>
      </div>
      <ul class="rows">
        {offered.map(({ name, words, option }) => (
          <ExportRow
            key={name}
            name={name}
            words={words}
            runtimeId={runtimeId}
            whyNot={option === 'side' && situation.code !== 'captions_accepted' ? whyNoCaptions : null}
            options={option === 'rate' ? { rate } : option === 'side' ? { side } : {}}
          />
        ))}
      </ul>
    </>
  );
}

interface ExportRowProps {
  readonly name: ExportName;
  readonly words: string;
  readonly runtimeId: string;
  /** Why there is no such file; null where there is one. */
  readonly whyNot: string | null;
  readonly options: { readonly side?: string; readonly rate?: string };
}

function ExportRow({ name, words, runtimeId, whyNot, options }: ExportRowProps) {
  const host = useHost();
  const { deed, run } = useDeed();
  const [bytes, setBytes] = useState<number | null>(null);
  const download = () =>
    run(async () => {
      const blob = new Blob([await host.export(runtimeId, name, options)]);
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
