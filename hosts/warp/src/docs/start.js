// A separate file, because the content security policy forbids inline scripts.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  // The default validator sends the document to a third-party server.
  validatorUrl: null,
  requestSnippetsEnabled: false,
  tryItOutEnabled: true,
  persistAuthorization: false,
});
