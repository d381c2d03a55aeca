/** Forms that clients currently show, by request and client. */
export class OpenForms {
  readonly #forms = new Map<string, Map<object, AbortController>>();

  has(requestId: string, client: object): boolean {
    return this.#forms.get(requestId)?.has(client) === true;
  }

  /** Adds a form; the signal aborts when it is no longer needed. */
  open(requestId: string, client: object): AbortSignal {
    const form = new AbortController();
    const shown = this.#forms.get(requestId) ?? new Map<object, AbortController>();
    this.#forms.set(requestId, shown.set(client, form));
    return form.signal;
  }

  /** The form was closed. */
  forget(requestId: string, client: object): void {
    this.#forms.get(requestId)?.delete(client);
  }

  /** The request no longer needs an answer. */
  close(requestId: string): void {
    for (const form of this.#forms.get(requestId)?.values() ?? []) form.abort();
    this.#forms.delete(requestId);
  }

  /** The client has disconnected. */
  closeOf(client: object): void {
    for (const shown of this.#forms.values()) {
      shown.get(client)?.abort();
      shown.delete(client);
    }
  }

  closeAll(): void {
    for (const requestId of [...this.#forms.keys()]) this.close(requestId);
  }
}
