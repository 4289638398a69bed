//! Parts of the OpenAPI description that all operations share: token, idempotency key, problem documents.

use utoipa::openapi::{
    Content, OpenApi, Ref, RefOr, Required, ResponseBuilder,
    path::{Operation, ParameterBuilder, ParameterIn},
    schema::{ObjectBuilder, Type},
    security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
};

use crate::problem::PROBLEM_TYPE;

/// Name of the security scheme.
const TOKEN: &str = "token";

/// Adds the shared parts.
pub(super) fn add_shared_parts(description: &mut OpenApi) {
    for item in description.paths.paths.values_mut() {
        [&mut item.get, &mut item.post].into_iter().flatten().for_each(add_problem_response);
        item.post.iter_mut().for_each(add_idempotency_key);
    }
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("Required on a port: the content of the file `token` in the data directory. A browser has a cookie instead."))
        .build();
    let components = description.components.get_or_insert_default();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(token));
    description.security = Some(vec![SecurityRequirement::new(TOKEN, [""; 0])]);
}

/// Adds the response for errors that every operation may return, such as an invalid token or a full disk.
fn add_problem_response(operation: &mut Operation) {
    let problem = ResponseBuilder::new()
        .description("any other error")
        .content(PROBLEM_TYPE, Content::new(Some(Ref::from_schema_name("Problem"))))
        .build();
    operation.responses.responses.insert("default".to_owned(), RefOr::T(problem));
}

fn add_idempotency_key(operation: &mut Operation) {
    let key = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("A new key for each request. A repetition with the same key gets the same response and is not executed again."))
        .schema(Some(
            ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(200)),
        ))
        .build();
    operation.parameters.get_or_insert_default().push(RefOr::T(key));
}
