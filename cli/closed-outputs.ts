/**
 * Lets this process outlive the readers of its output. A pager, `head` or a collector of logs may end at any time; what is
 * written after that goes nowhere, and is no failure of what this process does. Any other fault of an output is thrown.
 */
export function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
