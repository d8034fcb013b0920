/** A word of a text that its reader sees in another form: an option, or a variable that an option can replace. */
class NamedOption {
  constructor(
    readonly name: string,
    readonly variable: string | null = null,
  ) {}
}

type Part = string | NamedOption;

/** How an option is written: `--port` on a command line, `port` in a settings file. */
type Spelling = (option: string) => string;

const asFlag: Spelling = (name) => `--${name}`;

/**
 * The text of a refused start, with the options that it is about. On the command line they are flags. For values of a settings
 * file they are settings, and the variables that a setting replaces are that setting.
 */
export class StartText {
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** The options in their order, each once. */
  get options(): readonly string[] {
    const named = this.#parts.flatMap((part) =>
      part instanceof NamedOption && part.variable === null ? [part.name] : [],
    );
    return [...new Set(named)];
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  in(spelled: Spelling): string {
    return this.#parts
      .map((part) => (typeof part === 'string' ? part : (part.variable ?? spelled(part.name))))
      .join('');
  }

  /** The text if an option has the value that the environment would have: it names the option. */
  ofOption(name: string): StartText {
    return new StartText(
      this.#parts.map((part) =>
        part instanceof NamedOption && part.variable !== null && part.name === name ? option(name) : part,
      ),
    );
  }

  toString(): string {
    return this.in(asFlag);
  }
}

export const option = (name: string): NamedOption => new NamedOption(name);

/** A variable of the environment that an option can replace. */
export const variable = (name: string, replacedBy: string): NamedOption => new NamedOption(replacedBy, name);

/** A text with options: `worded` before a template takes what `option` names. */
export const worded = (
  texts: TemplateStringsArray,
  ...values: readonly (string | number | null | NamedOption | StartText)[]
): StartText =>
  new StartText(
    texts.flatMap((text, at): readonly Part[] => {
      const value = values[at] ?? '';
      if (value instanceof StartText) return [text, ...value.parts];
      return [text, value instanceof NamedOption ? value : String(value)];
    }),
  );
