import { ControllerError } from './controller-error.js';

/** 500. A class was given as a controller and does not carry `@Controller()`. */
export class NotAControllerError extends ControllerError {
  /** @param name - Name of the class, or text for what was given in its place. */
  constructor(name: string) {
    super(
      `${name} is not a controller. Decorate the class with @Controller(), or leave it out of the list.`,
      { code: 'NOT_A_CONTROLLER' },
    );
  }
}

/** 500. A controller has no method with a route decorator, of its own or inherited. */
export class NoRoutesError extends ControllerError {
  /** @param name - Name of the controller class. */
  constructor(name: string) {
    super(
      `${name} has no routes. Decorate a method with @Get(), @Post() or another route decorator, or remove @Controller() from the class.`,
      { code: 'NO_ROUTES' },
    );
  }
}

/** 500. A route cannot be registered: its path, parameters, headers or redirect are wrong, or it collides. */
export class RouteRegistrationError extends ControllerError {
  /** The method that declares the route, as `UsersController.create`. */
  readonly handler: string;

  /**
   * @param handler - The method that declares the route, as `UsersController.create`.
   * @param problem - What is wrong with it and what to do, as a sentence.
   * @param cause - The router's own error, when there is one.
   */
  constructor(handler: string, problem: string, cause?: unknown) {
    super(`Cannot register the route ${handler}: ${problem}`, {
      code: 'ROUTE_REGISTRATION',
      ...(cause === undefined ? {} : { cause }),
    });
    this.handler = handler;
  }
}
