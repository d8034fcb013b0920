import type { ComponentChildren } from 'preact';
import type { RuntimeDiskUse, SourceDiskUse } from '../../../contract/deletion.ts';
import { addressOf } from '../host/route.ts';
import { TypedDeed } from '../parts/typed-deed.tsx';
import { counted } from '../words/counted.ts';
import { size } from '../words/sizes.ts';

interface RowProps<Use> {
  readonly use: Use;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  /** Called once it is deleted. */
  readonly onGone: () => void;
  readonly erase: () => Promise<unknown>;
}

/** A source with what it takes. The host refuses to delete one that studies still need, and says so. */
export const SourceUse = ({ use, ...row }: RowProps<SourceDiskUse>) => {
  const { label, media, own, evidence, shared, runtimes } = use;
  return (
    <UseRow
      {...row}
      title={label}
      words={`media ${size(media.bytes)}, evidence ${size(evidence.bytes)}, records ${size(own.bytes)} · ${runtimes} ${runtimes === 1 ? 'study' : 'studies'}`}
      word={label}
      text={`The media, the records and the evidence of this source go, ${size(media.bytes + own.bytes + evidence.bytes)}. ${keptWords(shared.bytes)} ${runtimes > 0 ? 'Its studies have to be deleted first.' : ''} It cannot be undone.`}
      button="Delete the source"
    />
  );
};

/** A study with what it takes. */
export const RuntimeUse = ({
  use,
  name,
  ...row
}: RowProps<RuntimeDiskUse> & {
  /** Its source and range; null where they are not at hand. */
  readonly name: string | null;
}) => {
  const { runtimeId, journal, own, shared } = use;
  const short = runtimeId.slice(runtimeId.indexOf(':') + 1).slice(0, 8);
  return (
    <UseRow
      {...row}
      title={<a href={addressOf({ view: 'study', runtimeId, pane: 'evidence' })}>Study {short}</a>}
      words={`${name === null ? '' : `${name} · `}journal ${size(journal.bytes)} in ${counted(journal.events, 'event')}, records ${size(own.bytes)}`}
      word={short}
      text={`The journal and the records of this study go, ${size(journal.bytes + own.bytes)}, with its captions and explanations. Its evidence stays for other studies of the source. ${keptWords(shared.bytes)} It cannot be undone.`}
      button="Delete the study"
    />
  );
};

const keptWords = (bytes: number): string => (bytes === 0 ? '' : `${size(bytes)} stay, because others rest on them.`);

interface UseRowProps extends Omit<RowProps<unknown>, 'use'> {
  readonly title: ComponentChildren;
  readonly words: string;
  readonly word: string;
  readonly text: string;
  readonly button: string;
}

function UseRow({ title, words, word, text, button, isOpen, onOpen, onGone, erase }: UseRowProps) {
  const act = async () => {
    await erase();
    onGone();
  };
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-title">{title}</p>
        <p class="quiet">{words}</p>
      </div>
      <button type="button" aria-expanded={isOpen} onClick={onOpen}>
        Delete…<span class="sr"> {word}</span>
      </button>
      {isOpen && (
        <div class="row-details">
          <TypedDeed text={text} word={word} button={button} onDeed={act} onLeave={onOpen} />
        </div>
      )}
    </li>
  );
}
