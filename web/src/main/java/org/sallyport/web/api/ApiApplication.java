package org.sallyport.web.api;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** The REST API under its base path. */
@ApplicationPath("api/v1")
public class ApiApplication extends Application {}
