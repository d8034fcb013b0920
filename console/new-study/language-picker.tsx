import { useState } from 'preact/hooks';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import { Field } from '../parts/field.tsx';
import { languageName, plainTag } from '../words/language-name.ts';

const tagPattern = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;

/** True if a text is shaped as the tag of a language. */
export const isTag = (text: string): boolean => tagPattern.test(text);

/** Languages that have a subtitle or a film industry; every other one is given by its tag. */
const usual: readonly string[] = [
  ...[
    'ar',
    'bg',
    'bn',
    'ca',
    'cs',
    'da',
    'de',
    'el',
    'en',
    'es',
    'et',
    'fa',
    'fi',
    'fil',
    'fr',
    'gu',
    'he',
    'hi',
    'hr',
  ],
  ...[
    'hu',
    'id',
    'is',
    'it',
    'ja',
    'kn',
    'ko',
    'lt',
    'lv',
    'ml',
    'mr',
    'ms',
    'nb',
    'nl',
    'pa',
    'pl',
    'pt',
    'pt-BR',
    'ro',
  ],
  ...['ru', 'sk', 'sl', 'sr', 'sv', 'sw', 'ta', 'te', 'th', 'tr', 'uk', 'ur', 'vi', 'zh-Hans', 'zh-Hant'],
];

const byName = (a: string, b: string): number => languageName(a).localeCompare(languageName(b), 'en');

interface TrackLanguages {
  /** The spoken language if the sound tracks state one; otherwise empty. */
  readonly spoken: string;
  /** Every language that a track states, those of the sound first. */
  readonly all: readonly string[];
}

/** Undetermined, multiple and missing languages cannot be chosen. */
const namesNone = ['und', 'mul', 'mis', 'zxx'];

/** The languages that the tracks of a source state. */
export function languagesOf({ tracks }: Pick<MediaProbe, 'tracks'>): TrackLanguages {
  const of = (isOf: (type: string) => boolean): string[] =>
    tracks.flatMap(({ type, language }) => {
      const tag = language === undefined ? '' : plainTag(language);
      return isOf(type) && isTag(tag) && !namesNone.includes(tag) ? [tag] : [];
    });
  const inAudio = [...new Set(of((type) => type === 'audio'))];
  const all = [...new Set([...inAudio, ...of((type) => type !== 'audio')])];
  return { spoken: inAudio.length === 1 ? (inAudio[0] ?? '') : '', all };
}

interface LanguagePickerProps {
  readonly label: string;
  /** The words for no language; absent where one has to be chosen. */
  readonly none?: string;
  readonly ofTracks: readonly string[];
  readonly value: string;
  readonly onValue: (tag: string) => void;
}

const other = 'other';

/** A language by its name: those of the tracks first, then the usual ones, and any other by its tag. */
export function LanguagePicker({ label, none, ofTracks, value, onValue }: LanguagePickerProps) {
  const listed = [...ofTracks, ...usual];
  const [isOther, setOther] = useState(value !== '' && !listed.includes(value));
  const options = (tags: readonly string[]) =>
    tags.map((tag) => (
      <option key={tag} value={tag}>
        {languageName(tag)}
      </option>
    ));
  return (
    <div>
      <Field label={label}>
        {(id) => (
          <select
            id={id}
            value={isOther ? other : value}
            onChange={({ currentTarget: { value: chosen } }) => {
              setOther(chosen === other);
              onValue(chosen === other ? '' : chosen);
            }}
          >
            {none !== undefined && <option value="">{none}</option>}
            {ofTracks.length > 0 && <optgroup label="In this source">{options(ofTracks)}</optgroup>}
            <optgroup label="All languages">
              {options(usual.filter((tag) => !ofTracks.includes(tag)).toSorted(byName))}
            </optgroup>
            <option value={other}>Another language…</option>
          </select>
        )}
      </Field>
      {isOther && (
        <input
          class="mono"
          aria-label={`${label}: tag of the language`}
          placeholder="such as yue or pt-PT"
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value.trim())}
        />
      )}
    </div>
  );
}
