/** Free-form data of one request. Declare its members by augmenting this interface. */
export interface State {
  [key: string]: unknown;
}
